"""The lab: real episodes that a tiny policy can learn from on two cores, with scripted partners and demonstrators.

What is found here is found 'in the lab': the speakers are scripted or tiny, the language is the tongue.
"""
