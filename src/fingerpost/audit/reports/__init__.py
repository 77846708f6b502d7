"""Report formats of the audit, one module each. `registry` lists them; `format` says what a format implements."""
