// Code generated from proto/chat by proto/schema/gen. DO NOT EDIT.

/** FrameType names what a frame carries. */
export type FrameType =
  | "queued"
  | "start"
  | "reasoning"
  | "delta"
  | "agent-tool"
  | "agent-tool-draft"
  | "agent"
  | "context"
  | "status"
  | "message"
  | "plan"
  | "notice"
  | "reset"
  | "error"
  | "done"
  ;

/** Code is a stable word for what went wrong. */
export type Code =
  | "bad-request"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "unknown-chat"
  | "unknown-session"
  | "unknown-tool"
  | "unknown-permission"
  | "not-waiting"
  | "not-taken"
  | "unknown-task"
  | "unknown-connection"
  | "method"
  | "not-pending"
  | "changed"
  | "not-yours"
  | "task-running"
  | "too-many"
  | "too-large"
  | "media-type"
  | "internal"
  | "agent-unavailable"
  | "agent-stopped"
  | "mode-unavailable"
  | "model-unavailable"
  | "model-failed"
  | "unknown-command"
  | "command-failed"
  | "CONTEXT_WINDOW_EXCEEDED"
  | "CONTEXT_MESSAGE_TOO_LARGE"
  ;

/** ToolState is where a tool call stands. */
export type ToolState =
  | "running"
  | "proposed"
  | "done"
  | "denied"
  | "error"
  ;

/** CustomKind is what a tool of the person's own is. */
export type CustomKind =
  | "server"
  ;

/** TaskOutcome is how a run of a task ended. */
export type TaskOutcome =
  | "done"
  | "failed"
  | "stopped"
  | "missed"
  | "skipped"
  ;

/** ModelKind is who serves a connection's models. */
export type ModelKind =
  | "openai"
  | "anthropic"
  | "deepseek"
  | "openrouter"
  | "local"
  ;

/** ModelOrigin is where a connection comes from. */
export type ModelOrigin =
  | "saved"
  | "app"
  | "command-line"
  ;

/** KeyPlace is where a key is kept. */
export type KeyPlace =
  | "keyring"
  | "file"
  | "command-line"
  ;

/** Ask is a figure that nobody knows and that the person is asked for. */
export type Ask =
  | "contextWindow"
  | "slots"
  ;

/** EventType names what an event tells. */
export type EventType =
  | "task"
  | "reset"
  ;

/** Frame is one line of a run's stream. Run and Seq are on every frame; Seq rises by one per run, from 1. The other fields belong to the types named beside them. */
export interface Frame {
  run: string;
  seq: number;
  type: FrameType;
  /** start: bool, false on the direct path; agent: *Helper */
  agent?: boolean | Helper;
  /** start */
  mode?: string;
  /** start */
  model?: string;
  /** start; absent on the direct path */
  sessionId?: string;
  text?: string;
  key?: string;
  args?: Record<string, string>;
  /** delta: the host's own words */
  own?: boolean;
  /** notice, error */
  code?: Code;
  /** notice, error: technical text */
  details?: string;
  /** error: what the page may offer */
  actions?: string[];
  /** agent-tool */
  tool?: Tool;
  id?: string;
  name?: string;
  size?: number;
  lines?: number;
  tail?: string;
  tokens?: number;
  window?: number;
  percent?: number;
  /** measured or estimated */
  source?: string;
  /** message */
  message?: Message;
  /** plan */
  plan?: Plan;
  /** reset */
  snapshot?: Snapshot;
  /** done */
  usage?: Usage;
  /** done */
  finishReason?: string;
  /** done */
  cancelled?: boolean;
}

/** Helper is a helper agent's row. */
export interface Helper {
  id: string;
  name: string;
  description: string;
  /** running, done, failed, stopped */
  status: string;
  durationMs: number;
  tokens: number;
  /** Unix milliseconds */
  updatedAt: number;
}

/** Tool is a tool call's card: an upsert by ID. */
export interface Tool {
  /** call id; <helper session>:<call id> for a helper's */
  id: string;
  name: string;
  title: string;
  state: ToolState;
  /** TitleKey is Title's English template, TitleArgs what fills its {name} places; a title may be cut. */
  titleKey?: string;
  titleArgs?: Record<string, string>;
  /** Reason is the gate's sentence on a proposed or denied card. */
  reason?: string;
  /** ReasonKey is Reason's English template, ReasonArgs what fills its {name} places; they come with a proposed card, a moment after it. */
  reasonKey?: string;
  reasonArgs?: Record<string, string>;
  /** Save says how far a yes to a proposed card may reach; it comes with ReasonKey. */
  save?: SaveOffer;
  /** JSON text of the arguments */
  input?: string;
  /** plain text, at most 64 KiB */
  result?: string;
  /** ResultKey and ResultArgs are those of the sentence that Result begins with, where a call did not do its work. */
  resultKey?: string;
  resultArgs?: Record<string, string>;
  /** Details is the technical text of a failure. */
  details?: string;
  /** Digest is what an answer to a proposed card is bound to (abi.Digest). */
  digest?: string;
  durationMs?: number;
}

/** SaveOffer is what can be saved with a yes. Without scopes nothing can, and the sentence says why. */
export interface SaveOffer {
  /** of chat and always */
  scopes: string[] | null;
  /** how far a yes reaches that names no scope: once, or chat */
  scope?: string;
  /** the narrowest; a person may edit it; one line a permission */
  pattern?: string;
  text?: string;
  key?: string;
  args?: Record<string, string>;
}

/** Message is one entry of a chat's history. */
export interface Message {
  /** user or assistant */
  role: string;
  text?: string;
  reasoning?: string;
  tools?: Tool[];
  /** Helpers are the rows of helper agents that worked on this turn. */
  helpers?: Helper[];
  /** Notes are the host's own sentences that belong to this turn (stopped, failed). */
  notes?: Note[];
  /** Unix milliseconds */
  time: number;
  /** user: the request that sent it */
  requestId?: string;
  /** Pictures went with a user's message. */
  pictures?: Picture[];
}

/** Note is a sentence of the host's in a chat's history: what a delta of its own, a notice or an error frame said. */
export interface Note {
  text?: string;
  key?: string;
  args?: Record<string, string>;
  /** of a notice or an error */
  code?: Code;
  /** technical text */
  details?: string;
  /** of an error: what the page may offer */
  actions?: string[];
}

/** Picture is one that went with a message. The picture itself is with the agent. */
export interface Picture {
  name?: string;
  mediaType: string;
}

/** Plan is a plan turn's proposal. */
export interface Plan {
  text: string;
  /** Caution says why the turn was ended before the assistant was done; CautionKey is its English template, CautionArgs what fills its {name} places. */
  caution?: string;
  cautionKey?: string;
  cautionArgs?: Record<string, string>;
}

/** Snapshot stands for the frames that a replay log no longer holds. */
export interface Snapshot {
  /** the chat so far, the running turn included */
  messages: Message[] | null;
  /** the newest that is known */
  context?: Context;
}

/** Context says how full the window is. */
export interface Context {
  tokens: number;
  window: number;
  percent: number;
  /** measured or estimated */
  source: string;
}

/** Usage is what a run used, in tokens. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
}

/** StreamRequest is the body of POST /api/chat/stream. */
export interface StreamRequest {
  chatId: string;
  text: string;
  /** plan, manual or bypass; anything else is manual */
  mode?: string;
  /** provider/id; "" is the chat's own, in a new one the default */
  model?: string;
  thinking?: string;
  attachments?: Attachment[];
  /** of a new chat; absolute */
  cwd?: string;
  /** makes a resend harmless */
  requestId: string;
  steer?: boolean;
  maxRounds?: number;
  /** a text that begins with a slash is no command */
  asText?: boolean;
}

/** Attachment is a file that goes with a message. */
export interface Attachment {
  name: string;
  mediaType: string;
  /** base64 in JSON */
  data: string | null;
}

/** ApprovalRequest is the body of POST /api/chat/approval. */
export interface ApprovalRequest {
  /** the chat's session, also for a helper's call */
  sessionId: string;
  toolId: string;
  /** approve or deny */
  decision: string;
  digest?: string;
  /** how far a yes reaches: once, chat or always; "" is once */
  scope?: string;
  /** what it covers; "" is the card's own (SaveOffer) */
  pattern?: string;
  /** Unix milliseconds; 0 is never */
  expiresAt?: number;
  /** handed to the model with a deny */
  note?: string;
}

/** StopRequest is the body of POST /api/chat/stop. */
export interface StopRequest {
  sessionId?: string;
  /** where the run has no session yet */
  chatId?: string;
}

/** StopAnswer says what Stop did, once the turn has ended. */
export interface StopAnswer {
  /** false: nothing was running */
  stopped: boolean;
  /** Unsent are the messages that waited and that no turn has read, in their order. They do not begin by themselves any more. */
  unsent?: StreamRequest[];
}

/** PlanRequest is the body of POST /api/chat/plan. */
export interface PlanRequest {
  sessionId: string;
  /** approve or deny */
  decision: string;
  /** in which it is carried out: bypass; anything else but plan is manual */
  mode?: string;
}

/** PlanAnswer says what became of a plan: with a yes, which run carries it out. */
export interface PlanAnswer {
  decision: string;
  requestId?: string;
  run?: string;
}

/** OversizeRequest is the body of POST /api/chat/oversize: a message that is too long. */
export interface OversizeRequest {
  chatId: string;
  text: string;
  /** file or preview */
  as: string;
}

/** OversizeAnswer is the message to send in its place. */
export interface OversizeAnswer {
  text: string;
  /** Path is the file that holds the text, relative to the chat's folder. */
  path?: string;
}

/** PendingAnswer is the body of GET /api/agent/pending. */
export interface PendingAnswer {
  pending: Pending[] | null;
}

/** Pending is one approval that waits (GET /api/agent/pending). */
export interface Pending {
  chatId: string;
  sessionId: string;
  run?: string;
  tool: Tool;
}

/** AgentStatus is the body of GET /api/agent/status: no token, no key. */
export interface AgentStatus {
  /** ready, starting, stopped, missing */
  state: string;
  component?: string;
  version?: string;
  /** events.mux or remote.mux */
  wire?: string;
  plugins?: PluginStatus[];
  routes?: Route[];
  turns?: ActiveTurn[];
  pending: number;
  detail?: string;
  text?: string;
  key?: string;
  args?: Record<string, string>;
  /** nil where none runs */
  process?: AgentProcess;
  /** of the Harness, since the host began */
  restarts: number;
  lastError?: LastError;
  /** the host's data folder */
  dataDir?: string;
  /** the host's log */
  logFile?: string;
  /** what of the Harness's frames was not read */
  skipped?: Skipped[];
  /** messages that wait behind a running turn */
  queued: number;
  /** Errors are how runs ended that failed, the newest first; LastError is the first. */
  errors?: LastError[];
  /** nil where none has */
  lastEnd?: AgentEnd;
  /** RestartDue says that the Harness is started again, for new settings, once no turn runs. */
  restartDue?: boolean;
  /** Untested says that the Harness is a version that was not tested; null for others. */
  untested?: Sentence;
  host?: HostStatus;
  data?: DataStatus;
}

/** PluginStatus is a plugin row and the bytes it must have. */
export interface PluginStatus {
  name: string;
  sha256?: string;
  /** Running are the bytes that the plugin says it runs, Missing the seams that it did not find. Both are as of CheckedAt (Unix milliseconds), the newest time that a chat in Manual asked it; 0 is never. */
  running?: string;
  missing?: string[];
  checkedAt?: number;
}

/** Route is a model that a chat can choose. */
export interface Route {
  /** provider/model */
  id: string;
  name: string;
  contextWindow?: number;
  default?: boolean;
  /** it reads pictures */
  images?: boolean;
  /** Connection is the name of what serves it, as shown; Local says that this is of the person's own. */
  connection?: string;
  local?: boolean;
  /** levels that can be chosen; none: the model's own */
  thinking?: string[];
  price?: Price;
}

/** Price is what a million tokens cost, in US dollars. */
export interface Price {
  input: number;
  output: number;
  /** 0: not known */
  cacheRead?: number;
}

/** ActiveTurn is a run that has not ended. */
export interface ActiveTurn {
  chatId: string;
  sessionId?: string;
  run: string;
  /** of its newest frame */
  seq: number;
  mode: string;
  /** Unix milliseconds */
  startedAt: number;
}

/** AgentProcess is the running Harness. */
export interface AgentProcess {
  pid: number;
  /** Unix milliseconds */
  startedAt: number;
  uptimeMs: number;
  /** Node is the version that it runs on, NodePath the program. */
  node?: string;
  nodePath?: string;
}

/** LastError is how the newest run that failed ended. */
export interface LastError {
  /** Unix milliseconds */
  time: number;
  chatId: string;
  run: string;
  code: Code;
  details?: string;
  text?: string;
  key?: string;
  args?: Record<string, string>;
}

/** Skipped is a thing that was left out on the wire, and how often. */
export interface Skipped {
  /** type, field or wrong */
  kind: string;
  name: string;
  n: number;
}

/** AgentEnd is how the newest Harness ended that nobody had asked to, or did not start. */
export interface AgentEnd {
  /** Unix milliseconds */
  time: number;
  details?: string;
  text?: string;
  key?: string;
  args?: Record<string, string>;
}

/** Sentence is text for a person. Key is the English sentence with {name} places, by which a page translates it; Args fill the places. Model text has no key. */
export interface Sentence {
  text?: string;
  key?: string;
  args?: Record<string, string>;
}

/** HostStatus is the host that answers. */
export interface HostStatus {
  version: string;
  /** of the plugins */
  abi: string;
  go: string;
  /** such as linux/amd64 */
  os: string;
  /** as it calls itself, such as "Debian GNU/Linux 13"; "" where it does not say */
  system: string;
  cpus: number;
  pid: number;
  /** Unix milliseconds */
  startedAt: number;
  uptimeMs: number;
}

/** DataStatus is what the data folder holds, as of MeasuredAt. */
export interface DataStatus {
  bytes: number;
  files: number;
  /** that its disk has for this user; -1 where that is not known */
  freeBytes: number;
  /** the largest first */
  parts?: DataPart[];
  /** Unix milliseconds; not more often than every half minute */
  measuredAt: number;
  /** what could not be read */
  details?: string;
}

/** DataPart is a file or folder of the data folder. */
export interface DataPart {
  /** relative to it, with slashes */
  name: string;
  bytes: number;
  files: number;
}

/** ChatList is the body of GET /api/chats. */
export interface ChatList {
  chats: ChatSummary[] | null;
}

/** ChatSummary is one row of GET /api/chats, newest first. */
export interface ChatSummary {
  chatId: string;
  sessionId?: string;
  title: string;
  cwd?: string;
  archived?: boolean;
  /** of the run under way */
  run?: string;
  /** Unix milliseconds */
  updatedAt: number;
  /** Waiting are the messages behind the run under way, in the order of their turns. */
  waiting?: Waiting[];
}

/** Waiting is a message that was sent while a turn runs and that no turn has read. */
export interface Waiting {
  /** Run is what it is taken back by, or sent now; "" where it is on its way into the running turn already. */
  run?: string;
  requestId: string;
  /** at most 500 characters of it, then "…" */
  text: string;
  pictures?: Picture[];
  mode: string;
  model: string;
  /** Unix milliseconds: when it was sent */
  time: number;
  /** Steers says that the running turn may take it. */
  steers?: boolean;
}

/** Chat is the body of GET /api/chats/{id}: its history by the same projection as the stream. While a run is under way Messages include its turn as far as it got; Run and Seq say from where to re-attach so that nothing is shown twice. */
export interface Chat {
  chatId: string;
  sessionId?: string;
  title: string;
  cwd?: string;
  archived?: boolean;
  /** of the run under way */
  run?: string;
  /** Unix milliseconds */
  updatedAt: number;
  /** Waiting are the messages behind the run under way, in the order of their turns. */
  waiting?: Waiting[];
  /** route of its newest run: messages that name none go there */
  model?: string;
  messages: Message[] | null;
  seq?: number;
  /** that waits for an answer */
  plan?: Plan;
  /** the newest that is known */
  context?: Context;
}

/** ChatPatch is the body of PATCH /api/chats/{id}; nil leaves as it is. */
export interface ChatPatch {
  title?: string;
  archived?: boolean;
}

/** PermissionList is the body of GET /api/permissions, the oldest first. */
export interface PermissionList {
  permissions: Permission[] | null;
}

/** Permission is a yes that a person gave for more than one call. */
export interface Permission {
  id: string;
  /** "bash" also for sh, "web" for searching and opening pages */
  tool: string;
  /** the words of one command, a path, a tool's name */
  pattern: string;
  /** chat or always */
  scope: string;
  /** the chat's, for scope chat */
  sessionId?: string;
  /** the workspace it holds in */
  folder: string;
  /** Unix milliseconds */
  createdAt: number;
  /** Unix milliseconds; 0 is never */
  expiresAt?: number;
}

/** ToolSettings is what the person chose under Settings → Tools: the body of GET and the answer of PUT /api/agent/tools. */
export interface ToolSettings {
  webSearch: WebSearch;
  /** WebWithoutAsking lets the assistant search the web and open pages without a question. */
  webWithoutAsking: boolean;
  /** Custom are the tools of the person's own, by name. */
  custom: CustomTool[] | null;
}

/** WebSearch is who searches the web. */
export interface WebSearch {
  /** the id of one of Services */
  service: string;
  /** a key for it is saved; the key itself is nowhere to be read */
  keySet: boolean;
  services: SearchService[] | null;
}

/** SearchService is a service that can be chosen. */
export interface SearchService {
  id: string;
  name: string;
  /** without its key DuckDuckGo is asked in its place */
  needsKey: boolean;
  keySet: boolean;
}

/** CustomTool is a tool of the person's own. */
export interface CustomTool {
  /** its name */
  id: string;
  kind: CustomKind;
  on: boolean;
  /** A server is reached by its address (URL, streamable HTTP), or is a program that is started without a shell (Command and Args, stdio). */
  url?: string;
  command?: string;
  args?: string[];
  /** Values are the names of the headers that go to the address, or of the variables that the program has. What they hold is nowhere to be read. */
  values?: string[];
  /** Warning is said of a key that seems to be in its address or an argument, where it does not belong. */
  warning?: Sentence;
}

/** ToolsPatch is the body of PUT /api/agent/tools; nil leaves as it is. */
export interface ToolsPatch {
  webSearch?: WebSearchPatch;
  webWithoutAsking?: boolean;
}

/** WebSearchPatch changes who searches the web. */
export interface WebSearchPatch {
  service?: string;
  /** of the service that is chosen then; "" forgets it */
  key?: string;
}

/** CustomToolPatch is the body of POST /api/agent/tools/custom, where Kind and Name are needed, and of PATCH /api/agent/tools/custom/{id}, where they do not change; nil leaves as it is. */
export interface CustomToolPatch {
  kind?: CustomKind;
  /** 1 to 25 small letters and digits, with single dashes between */
  name?: string;
  /** a new one is on */
  on?: boolean;
  url?: string;
  command?: string;
  args?: string[];
  /** Values are headers or variables by name; "" forgets one. */
  values?: Record<string, string>;
}

/** DecisionList is the body of GET /api/decisions, the newest first. Query: limit (100, at most 1000), before (Unix milliseconds), sessionId. */
export interface DecisionList {
  decisions: Decision[] | null;
  /** for the next older ones; 0 is no more */
  before?: number;
}

/** Decision is one line of the decision log: a tool call and what became of it. */
export interface Decision {
  /** Unix milliseconds */
  time: number;
  /** the chat's */
  sessionId?: string;
  /** of the call's card */
  toolId?: string;
  tool: string;
  /** the command, path or address, shortened and redacted */
  what?: string;
  mode?: string;
  /** allow or deny */
  decision: string;
  /** By is who decided: person, rule, permission, mode, fault or nobody. */
  by: string;
  /** which rule, or which one asked */
  rule: string;
  /** ids of saved permissions, parted by commas */
  permission?: string;
  /** of the question: allowed-once, rejected, cancelled, unavailable */
  outcome?: string;
  /** how far the yes reaches */
  scope?: string;
  /** what the answer was bound to */
  digest?: string;
}

/** TaskList is the body of GET /api/tasks, in the order of their names. */
export interface TaskList {
  tasks: Task[] | null;
}

/** Task is a message that is sent by itself, at one time or again and again. */
export interface Task {
  id: string;
  name: string;
  /** the message */
  text: string;
  /** Of Cron and At there is exactly one. Cron is "minute hour day month weekday" or @hourly, @daily, @weekly, @monthly, @yearly; At a time of a clock on the wall (2026-12-24T18:00), or one with an offset (2026-12-24T18:00:00+01:00). */
  cron?: string;
  at?: string;
  /** IANA name; "" is the host's own */
  zone?: string;
  /** plan, manual or bypass; "" is plan */
  mode?: string;
  /** Model, Thinking and CWD are as in StreamRequest. */
  model?: string;
  thinking?: string;
  cwd?: string;
  /** of a run; 0 is 60 */
  maxMinutes?: number;
  /** it runs only when it is told to */
  disabled?: boolean;
  /** Unix milliseconds */
  createdAt: number;
  updatedAt: number;
  /** NextAt is when it runs next (Unix milliseconds); 0 is never: it is switched off, or its one time is over. */
  nextAt?: number;
  running?: TaskRun;
  /** the newest result */
  last?: TaskResult;
}

/** TaskRun is a run of a task that has not ended. */
export interface TaskRun {
  /** of the result that it will have */
  id: string;
  /** Unix milliseconds; 0: a person began it */
  dueAt?: number;
  begunAt?: number;
  /** for others to end */
  waits?: boolean;
  /** by which it can be stopped */
  chatId: string;
}

/** TaskResult is what a run of a task came to. */
export interface TaskResult {
  id: string;
  taskId: string;
  outcome: TaskOutcome;
  mode?: string;
  model?: string;
  /** DueAt is when it was to run (0: a person began it), BegunAt when it did (0: it did not), EndedAt when this was written down; all in Unix milliseconds. */
  dueAt?: number;
  begunAt?: number;
  endedAt: number;
  durationMs?: number;
  /** Times is how many runs in a row this stands for, where they were missed or skipped; DueAt is that of the first. */
  times?: number;
  /** Note says in one sentence what a person should know: why it failed, that nothing was changed, that requests were answered with no. */
  note: Sentence;
  /** Told is what else the host said during the run, such as why it ended a turn; the newest ten. */
  told?: Sentence[];
  /** of a failure */
  code?: Code;
  /** Details is the technical text of a failure. */
  details?: string;
  /** the agent's last words, at most 16 KiB */
  summary?: string;
  /** Changes are the calls that changed something or may have, Refused those that a person would have been asked about, or the mode does not allow: they did not run. Of each at most 100 are kept; More counts the others. */
  changes?: TaskAction[];
  refused?: TaskAction[];
  more?: number;
  /** what it cost, in tokens; nil where that is not known */
  usage?: Usage;
}

/** TaskAction is a tool call of a task's run. */
export interface TaskAction {
  tool: string;
  /** as on a card */
  title: string;
  /** why it was not done */
  reason: Sentence;
  /** it ran and failed, perhaps after a part of it */
  failed?: boolean;
}

/** TaskSpec is what a person says of a task: the body of POST /api/tasks. */
export interface TaskSpec {
  name: string;
  /** the message */
  text: string;
  /** Of Cron and At there is exactly one. Cron is "minute hour day month weekday" or @hourly, @daily, @weekly, @monthly, @yearly; At a time of a clock on the wall (2026-12-24T18:00), or one with an offset (2026-12-24T18:00:00+01:00). */
  cron?: string;
  at?: string;
  /** IANA name; "" is the host's own */
  zone?: string;
  /** plan, manual or bypass; "" is plan */
  mode?: string;
  /** Model, Thinking and CWD are as in StreamRequest. */
  model?: string;
  thinking?: string;
  cwd?: string;
  /** of a run; 0 is 60 */
  maxMinutes?: number;
  /** it runs only when it is told to */
  disabled?: boolean;
}

/** TaskPatch is the body of PATCH /api/tasks/{id}; nil leaves as it is. A new Cron takes At away, and the reverse. */
export interface TaskPatch {
  name?: string;
  text?: string;
  cron?: string;
  at?: string;
  zone?: string;
  mode?: string;
  model?: string;
  thinking?: string;
  cwd?: string;
  maxMinutes?: number;
  /** true stops a run under way */
  disabled?: boolean;
}

/** TaskResults is the body of GET /api/tasks/{id}/results, the newest first. */
export interface TaskResults {
  results: TaskResult[] | null;
}

/** ModelsAnswer is the body of GET /api/models. */
export interface ModelsAnswer {
  connections: ModelConnection[] | null;
  /** route of a chat that chooses none */
  default?: string;
  /** KeysIn is where keys are: in KeyFile while one is there, of a tool too, or while the next one would go there. */
  keysIn: KeyPlace;
  keyFile: string;
}

/** ModelConnection is a connection as it stands. */
export interface ModelConnection {
  id: string;
  kind: ModelKind;
  name: string;
  baseUrl: string;
  origin: ModelOrigin;
  /** where its key is; "" is nowhere */
  keyIn?: KeyPlace;
  /** Ready says that its models can be chosen. The sentence says why not. */
  ready: boolean;
  text?: string;
  key?: string;
  args?: Record<string, string>;
  details?: string;
  /** requests that it works on at once; 0 is not known, or not bounded */
  slots?: number;
  /** Said are the person's own words of its models, SaidSlots of its slots. */
  said?: ModelSpec[];
  saidSlots?: number;
  models: ModelInfo[] | null;
  asks?: Ask[];
}

/** ModelSpec is what a person says of a model. */
export interface ModelSpec {
  /** as the server knows it */
  id: string;
  /** shown; "" is the server's */
  name?: string;
  /** in tokens; 0 is what the server tells */
  contextWindow?: number;
  /** false: it is to read no pictures */
  images?: boolean;
}

/** ModelInfo is a model as it stands. */
export interface ModelInfo {
  id: string;
  name: string;
  /** by which a chat chooses it; "" while it cannot */
  route?: string;
  contextWindow?: number;
  /** it reads pictures */
  images?: boolean;
  /** levels that can be chosen */
  thinking?: string[];
  price?: Price;
  asks?: Ask[];
}

/** ConnectionSpec is what a person says of a connection: the body of POST /api/models and of PUT /api/models/{id}, which replaces what was said before. */
export interface ConnectionSpec {
  kind: ModelKind;
  /** shown; "" is the kind's own */
  name?: string;
  /** "" is the kind's own */
  baseUrl?: string;
  /** Key is the service's; null or left out keeps the one there is, "" removes it. No route ever gives it out. */
  key?: string;
  /** Models are the ones to choose from. None of a local server are all that it has. */
  models?: ModelSpec[];
  /** requests that a local server works on at once; 0 is what it tells */
  slots?: number;
}

/** LocalSpec is the body of PUT /api/models/local/{id}, by which the desktop tells of an engine that it has loaded. */
export interface LocalSpec {
  baseUrl: string;
  model: string;
  name?: string;
  /** in tokens; 0 is not known */
  contextWindow?: number;
  /** requests at once; 0 is not known */
  slots?: number;
  /** false: it was loaded without reading pictures */
  images?: boolean;
  /** External says that the app has not loaded it: the engine may lack fit_max_tokens. */
  external?: boolean;
}

/** ModelDefault is the body of PUT /api/models/default. */
export interface ModelDefault {
  /** "" is the first one */
  route: string;
}

/** ModelOffers is what a provider has: the body of GET /api/models/{id}/offers. Where the list could not be read the sentence says so, and Models is the newest one that was. */
export interface ModelOffers {
  models: ModelOffer[] | null;
  /** Unix milliseconds; 0 is never */
  readAt?: number;
  text?: string;
  key?: string;
  args?: Record<string, string>;
  details?: string;
}

/** ModelOffer is a model that a provider lists, as far as it tells. */
export interface ModelOffer {
  id: string;
  name?: string;
  /** in tokens; 0 is not told */
  contextWindow?: number;
  /** in tokens; 0 is not told */
  maxOutput?: number;
  /** null is not told */
  images?: boolean;
  /** the list says that it takes a thinking level */
  reasoning?: boolean;
  price?: Price;
}

/** ModelTest is what trying a connection came to: the answer of POST /api/models/test, whose body is a ConnectionSpec, and of POST /api/models/{id}/test. */
export interface ModelTest {
  ok: boolean;
  text?: string;
  key?: string;
  args?: Record<string, string>;
  details?: string;
  /** that it has */
  models: ModelOffer[] | null;
}

/** Event is one thing that happened outside of chats: the data of an event of GET /api/events, whose name is its Type. */
export interface Event {
  type: EventType;
  /** task */
  task?: TaskEvent;
}

/** TaskEvent tells what became of a task. */
export interface TaskEvent {
  /** added, changed, removed, begun or ended */
  what: string;
  taskId: string;
  name: string;
  /** ended */
  result?: TaskResult;
}

/** ErrorBody is the JSON body of every refused request. */
export interface ErrorBody {
  error: Error;
}

/** Error is what a route answers when it refuses, and what ends a run badly. The sentence is for the person, with a next step; Details is the technical text. */
export interface Error {
  code: Code;
  text?: string;
  key?: string;
  args?: Record<string, string>;
  details?: string;
  actions?: string[];
}
