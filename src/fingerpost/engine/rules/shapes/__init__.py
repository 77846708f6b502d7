"""Arguments in the wrong container, one kind per file. `wrong_shape` tries them in order."""
