package reason

// What PowerShell commands, and programs with a script of their own, are asked to do.
const (
	ScriptOf  = "This hands {program} a script that is not known to be harmless: {script}."
	Provider  = "This looks at something that is no file: {path}."
	PipedInto = "This hands {program} things that are only known when it runs."
	Repeated  = "This gives {program} the same option twice: {option}."
	Quoting   = "This hands {program} a text that may reach it as another one: {text}."
	NameIsNum = "This names a file in a way that may be taken for a number: {path}."
)
