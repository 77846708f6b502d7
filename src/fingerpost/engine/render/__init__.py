"""Turn a report into text for the model and structure for its program."""
