"""HTTP clients in front of stdio servers: `app` handles requests, `hosted_server` runs a process behind them."""
