"""What every command needs: colour, and errors with a way out."""
