"""A coach's group: its pupils, the exercises that are assigned to them, who solved what, and what they lose to.

================  ==================================================================
group.py          groups and who is in them, as the library stores them
assignment.py     the exercises of a group: chosen, stored, practised
report.py         figures: answers of each pupil, his losses, common weaknesses
report_sheet.py   the report in words, for the terminal, the page and paper
================  ==================================================================
"""
