"""What every command uses: colour, and errors with a way out."""
