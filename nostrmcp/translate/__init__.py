"""Messages to events and back, under a revision. Stateless."""
