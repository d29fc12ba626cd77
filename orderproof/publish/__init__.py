"""What is printed of theorems and of decided models: pages, the book, the site."""
