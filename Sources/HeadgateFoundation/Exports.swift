import Headgate
