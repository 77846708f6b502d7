"""Generate the calls of an audit: correct ones, and the mistakes made from them."""
