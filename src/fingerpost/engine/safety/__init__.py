"""Read untrusted JSON, redact secrets and recognise attacks."""
