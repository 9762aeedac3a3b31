"""Training: one loop of rollouts, reward, credit and update, in which an algorithm is a small file of credit.

Nothing here is imported by the other parts of adidem; torch is loaded by the modules that need it, when they run.
"""
