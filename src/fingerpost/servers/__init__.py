"""Three reference servers, useful by themselves. Each one raises errors and leaves the guidance to Fingerpost."""
