// @ts-check
/**
 * The compaction engine of the agent preset: row `compaction-strata`, in the place of `compaction-basic` and with its
 * config. When and what is summarized is chosen by the `context` plugin, in the tokens that the model's server counts,
 * so that the config's thresholds and retained tails hold only where the plugin does not run; the transaction in the
 * log is the Harness's own. Where the plugin's row is not there, so is the choice.
 * @module
 */
import { engineOf } from './context/engine.mjs'
import { importHarness } from './lib/harness.mjs'

export default engineOf(await importHarness('@deepseek-ai/dsh-compaction-basic'), await importHarness('@deepseek-ai/dsh-compaction'))
