"""The report in every form that people and programs read: each module makes one of it."""
