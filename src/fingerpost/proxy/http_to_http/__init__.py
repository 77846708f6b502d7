"""HTTP clients in front of an HTTP server: `app` handles requests, `guided_request` is one that gets guidance."""
