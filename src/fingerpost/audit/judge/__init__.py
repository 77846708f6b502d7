"""Judge the replies of an audit against the checklist."""
