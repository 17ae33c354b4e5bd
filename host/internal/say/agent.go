package say

// The agent's process and connection.
const (
	// AgentReady is the status line of a running Harness.
	AgentReady = "The agent is ready. Write a message to begin."
	// AgentStarting is the status line until the Harness answers.
	AgentStarting = "The agent is starting. Your message will be sent when it is ready."
	// AgentMissing is said where no Harness is installed at the given folder.
	AgentMissing = "The agent is not installed. Run \"make run\" once, or start Strata with --harness and its folder."
	// AgentFailed is said where the Harness does not start.
	AgentFailed = "The agent did not start. Read Details, then start Strata again."
	// AgentStopped ends a run whose Harness process ended.
	AgentStopped = "The agent stopped unexpectedly and is being started again. Send your message once more to go on."
	// AgentLost ends a run whose connection could not be restored.
	AgentLost = "The connection to the agent was lost. Send your message again; the chat continues where it was."
	// AgentClosed ends a run because the host shuts down.
	AgentClosed = "Strata was closed during this answer. Start it again and send a message to go on."
	// ClosingSoon is the status line of a run that goes on while the host closes.
	ClosingSoon = "Strata is closing. This answer has {seconds} more seconds to end; what is done by then is kept."
	// Unsent ends a run whose message the agent never got because the host closed.
	Unsent = "Strata was closed before this message was sent. Start it again and send the message once more."
	// SettingsWait is the status line of a message that waits for a restart with new settings.
	SettingsWait = "The settings were changed, so the agent is started again once the running answers have ended. Your message is sent then."
	// SettingsFailed is said where the first start with new settings fails.
	SettingsFailed = "The agent did not start with the new settings. Undo the change, or read Details, then send your message again."
	// AgentRestarting is the status line after a crash.
	AgentRestarting = "The agent is being started again. Wait a moment."
	// AgentInUse is said where another host owns the data folder.
	AgentInUse = "Another Strata already uses this data folder. Close it, or start this one with another --data folder."
	// AgentBusy is said where the Harness refuses a session that is being used.
	AgentBusy = "The agent is busy with this chat. Wait a moment and send the message again."
	// AgentRefused is said where the Harness answers a request with an error.
	AgentRefused = "The agent could not do this. Try again; the technical text is under Details."
	// AgentBare is said where a new chat's agent did not get its tools.
	AgentBare = "The agent began without its tools, so your message was not sent. Start Strata again, then send it once more."
	// PolicyChanged ends a turn whose mode, policy or answer was changed by something else.
	PolicyChanged = "The permissions of this chat were changed from outside, so the turn was stopped. Check the mode and send your message again."
)

// Modes.
const (
	// ModeUnavailable is said where the chat could not be put into its mode.
	ModeUnavailable = "The mode {mode} could not be set for this chat. Send the message again, or start a new chat."
	// GateUnavailable is said where Manual cannot ask.
	GateUnavailable = "The part that asks before changes is not running, so Manual cannot be used. Start Strata again, or choose Plan."
)

// Models.
const (
	// ModelUnavailable is said where the chosen route is gone.
	ModelUnavailable = "The model {model} is not available. Choose another model and send the message again."
	// NoModel is said where no route is set up.
	NoModel = "No model is set up. Open Models, add a connection, and send the message again."
	// ModelFailed ends a run whose model request failed.
	ModelFailed = "The model did not answer properly. Send the message again; the technical text is under Details."
	// ModelLimited ends a run after HTTP 429.
	ModelLimited = "The model server has too many requests right now. Wait a minute and send the message again."
	// ModelKeyRefused ends a run after HTTP 401 or 403.
	ModelKeyRefused = "The model server did not accept the key. Check it under Models, or in the key file that Strata was started with."
	// ModelUnreachable ends a run where no connection came about.
	ModelUnreachable = "The model server cannot be reached. Check the address and your network, then send the message again."
	// ModelNotRunning ends a run whose engine, or other model server of the person's own,
	// has ended.
	ModelNotRunning = "The server of this model is not running any more. Start it again, or choose another model, and send the message again."
	// ModelBrokeOff ends a run whose answer stopped coming in the middle.
	ModelBrokeOff = "The model's answer broke off. Send the message again to get a whole one."
	// ContextFull ends a run that no longer fits the window.
	ContextFull = "This chat has become too long for the model. Start a new chat, or send a shorter message."
	// ContextOverflows is ContextFull where the agent can make room.
	ContextOverflows = "This chat has become too long for the model. Have its earlier messages summarized to go on, or start a new chat."
	// ModelRetry is the status line while a request is tried again.
	ModelRetry = "The model did not answer; trying again…"
)
