"""Evidence and trust

Whom must one believe who believes a theorem of this book? It depends on the mark. A mark belongs to
one claim and names one layer of evidence. Layers are not added up; which of them to believe is the
reader’s choice, and the table says what each claims and on whom it rests.
"""
