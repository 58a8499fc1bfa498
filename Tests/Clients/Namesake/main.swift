print("This program has the name of one of Headgate's.")
