"""One file of the corpus -> one entity and its fragments; an adapter a kind of file."""
