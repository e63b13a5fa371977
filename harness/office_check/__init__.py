"""Checks of an own office that need no certificate: is everything named, asked for and
understood?"""
