"""Answers measured: strategies on questions whose answers are known.

    questions -> gold -> answering -> grading -> study -> folder

A questions file is read, its gold passages are found in the library, every strategy answers
every question in every round, each answer is graded, and what came of it is counted, tested and
written. Answers and grades are kept one by one, so that nothing is asked for twice.
"""
