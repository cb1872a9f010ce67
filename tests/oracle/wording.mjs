// Stands in for the breaker's lib/message.js (see wording_hook.mjs): says what it is told to say.
import { limitFor } from './node_modules/dsh-repeat-tool-breaker/lib/fingerprints.js'

const real = await import(new URL(import.meta.url).searchParams.get('real'))
export const { preview, renderResult } = real

const cap = (limit) => (Number.isFinite(limit) ? limit : null)
const hit = ({ fp, next, cap, kind }) => ({ fp, count: next, cap, track: kind === 'failure' ? 'failure' : 'occurrence' })
const occurrence = (kind) => (fp, count, { limits }) =>
  JSON.stringify({ kind, fingerprints: [{ fp, count, cap: cap(limitFor(fp, limits)), track: 'occurrence' }] })

export const warnMessage = occurrence('warn')
export const summarizeMessage = occurrence('summarize')
export const failWarnMessage = (fp, count, failure, { failLimit }) =>
  JSON.stringify({ kind: 'fail_warn', fingerprints: [{ fp, count, cap: failLimit, track: 'failure' }], failure })
export const askMessage = (hits) => JSON.stringify({ kind: 'ask', fingerprints: hits.map(hit) })
export const denyMessage = ({ hits, lastResult, refused }) =>
  JSON.stringify({ kind: 'deny', fingerprints: hits.map(hit), lastResult, refused })
