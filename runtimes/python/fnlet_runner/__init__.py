"""The Python Runner: the program around a Function's handler inside an Instance."""
