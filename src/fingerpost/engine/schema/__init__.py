"""Read JSON Schema: walk it, validate against it, excerpt it."""
