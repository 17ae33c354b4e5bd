// The page's own words, in one place and in English, which is also what they are
// translated by (../languages). What the host says comes with its frames.

export const words = {
  title: 'Strata',
  newChat: 'New chat',
  untitled: 'New chat',
  send: 'Send',
  stop: 'Stop',
  stopping: 'Stopping…',
  sendAfter: 'Send after this turn',
  tellNow: 'Tell the assistant now',
  waiting: 'Messages that wait',
  goesAfter: 'goes out after this turn',
  goesIn: 'with the assistant, which reads it at its next step',
  onItsWay: 'on its way…',
  takeBack: 'Take back',
  backInBox: 'What waited is back in the message box.',
  planReady: 'A plan is ready. Shall it be carried out?',
  planMode: 'How it is carried out',
  carryOut: 'Carry it out',
  notNow: 'Not now',
  approve: 'Approve',
  deny: 'Deny',
  answering: 'Sending your answer…',
  note: 'Note for the assistant (optional)',
  askTitle: 'The assistant asks before it does this',
  reach: 'How far your yes reaches',
  pattern: 'What your yes covers',
  patternHelp: 'One line for each. * stands for one word or name, ** for any number at the end.',
  allowed: 'Permissions',
  inAdvance: 'Allowed in advance',
  nothingAllowed: 'Nothing. On a card you can say that your yes holds for longer.',
  decided: 'What was decided',
  nothingDecided: 'Nothing yet.',
  until: 'until {when}',
  forGood: 'until you take it back',
  revoke: 'Take back',
  older: 'Show older ones',
  close: 'Close',
  yes: 'Allowed',
  no: 'Not allowed',
  expiry: 'How long your yes holds',
  details: 'Details',
  result: 'Result',
  reasoning: 'Reasoning',
  thinking: 'Thinking…',
  queued: 'Waiting for its turn…',
  working: 'Working…',
  stopped: 'Stopped. Send a message to go on.', // as the host has it in history
  placeholder: 'Write a message',
  retry: 'Send again',
  asText: 'Send as text',
  startNew: 'Start a new chat',
  chooseModel: 'Choose another model',
  summarize: 'Summarize and continue',
  goOn: 'Go on.', // what the agent is told then
  attachFile: 'Attach as a file',
  sendPreview: 'Send a shortened preview',
  latest: 'Newest message',
  remove: 'Remove',
  noPicture: '{name} cannot be read as a picture. Try another file.',
  copied: 'Copied',
  copy: 'Copy',
  offline: 'Strata cannot be reached. Check that it is still running; this page tries again by itself.',
  reconnecting: 'The connection was lost; trying again…',
  badAnswer: 'Strata answered in a way this page does not understand. Reload the page.',
  welcome: 'What shall we do?',
  welcomeMore: 'The assistant reads freely. Before it changes anything it asks you here.',
  needsYou: 'needs your answer',
  running: 'working',
  done: 'The answer is complete.',
  helper: 'Helper',
  chats: 'Chats',
  mode: 'Mode',
  model: 'Model',
  fullness: 'How full the chat is',
  full: '{percent}% of {window}K',
  draft: '{name} · {lines} lines · {size} KB',
  models: 'Models',
  addConnection: 'Add a connection',
  noConnection: 'There is no model yet. Add a connection to a service, or to a model server of your own.',
  keysInKeyring: 'Keys are kept in your system’s keyring, which programs that you run can ask as well.',
  keysInFile: 'Keys are kept in the file {path}, which only you can read. In Bypass the assistant can read it too.',
  test: 'Test',
  change: 'Change',
  save: 'Save',
  cancel: 'Cancel',
  kind: 'Service',
  name: 'Name',
  address: 'Address',
  itsOwn: 'its own',
  key: 'Key',
  keyStays: 'the saved one stays',
  slots: 'Requests at once',
  window: 'Context window in tokens',
  tokens: '{count} tokens',
  readsPictures: 'reads pictures',
  readPictures: 'Read pictures with this model',
  lookForModels: 'Look for models',
  findModel: 'Find a model, or write its id',
  isDefault: 'the default',
  makeDefault: 'Make it the default',
  thinkingLevel: 'How much it thinks',
  noPictures: '{model} does not read pictures. Choose another model first.',
  you: 'You',
  assistant: 'Assistant',
};

/** What the Mode menu offers; an unknown mode is manual. */
export const modes = [
  { id: 'manual', name: 'Manual', about: 'asks before every change' },
  { id: 'plan', name: 'Plan', about: 'only looks, changes nothing' },
  { id: 'bypass', name: 'Bypass', about: 'changes things without asking' },
];

/** How a card's state reads. @type {Record<import('../../../../proto/schema/chat.js').ToolState, string>} */
export const states = {
  running: 'Running',
  proposed: 'Needs your answer',
  done: 'Done',
  denied: 'Not allowed',
  error: 'Failed',
};

/** How far a yes reaches, in the order of the menu. @type {Record<string, string>} */
export const scopes = { once: 'Only this time', chat: 'In this chat', always: 'Always in this folder' };

/** How long a yes holds that reaches further than one call: a name, and milliseconds. @type {[string, number][]} */
export const expiries = [['until I take it back', 0], ['for an hour', 3_600_000], ['for a day', 86_400_000], ['for a week', 604_800_000]];

/** Who decided, as the log names them. @type {Record<string, string>} */
export const deciders = {
  person: 'by you', rule: 'it only looks', permission: 'allowed in advance', mode: 'by the chat’s mode',
  fault: 'the gate failed', nobody: 'nobody answered',
};

/** Who serves models. @type {Record<string, string>} */
export const kinds = {
  openai: 'OpenAI, or a service like it', anthropic: 'Anthropic', deepseek: 'DeepSeek', openrouter: 'OpenRouter', local: 'A model server of your own',
};

/** Where a connection comes from, where the person has not saved it. @type {Record<string, string>} */
export const origins = { app: 'loaded by the app', 'command-line': 'from the command line' };

/** Where a connection's key is. @type {Record<string, string>} */
export const keyPlaces = { keyring: 'key in the keyring', file: 'key in a file', 'command-line': 'with a key' };

/** The thinking levels, by the host's names. @type {Record<string, string>} */
export const levels = {
  off: 'No thinking', minimal: 'Think very little', low: 'Think a little', medium: 'Think', high: 'Think hard', xhigh: 'Think very hard', max: 'Think as hard as it can',
};

/** How a helper's state reads. @type {Record<string, string>} */
export const helperStates = { running: 'running', done: 'done', failed: 'failed', stopped: 'stopped' };

/** What a person may try first. */
export const suggestions = ['List the files here', 'What is in README?', 'Write hello.txt'];

/**
 * Puts every word into another language, in place. The page does so once, before
 * it draws anything.
 * @param {(english: string) => string} t
 */
export function translateWords(t) {
  for (const table of [words, states, scopes, deciders, helperStates, keyPlaces, kinds, origins, levels]) {
    for (const [name, text] of Object.entries(table)) Object.assign(table, { [name]: t(text) });
  }
  for (const m of modes) Object.assign(m, { name: t(m.name), about: t(m.about) });
  for (const e of expiries) e[0] = t(e[0]);
  suggestions.forEach((s, i) => { suggestions[i] = t(s); });
}
