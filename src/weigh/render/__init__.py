"""What reports share: terminal styles, words, sentences, templates, plots. Imports nothing that measures."""
