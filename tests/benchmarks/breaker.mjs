// Prints how many microseconds of processor time the published breaker takes for each call of a
// session, given as JSON Lines: {"name":…,"arguments":…,"text":…,"value":…}. Every question is
// answered with yes, so that calls go on.
import { readFileSync } from 'node:fs'

const folder = new URL('../oracle/node_modules/dsh-repeat-tool-breaker/', import.meta.url)
const plugin = await import(new URL('index.js', folder))

const listeners = {}
const guards = []
plugin.apply({
  on: (event, listener) => { listeners[event] = listener; return () => {} },
  tools: { guard: (guard) => { guards.push(guard); return () => {} } },
})
const agent = { id: 'main' }
const calls = readFileSync(process.argv[2], 'utf8').trimEnd().split('\n').map((line) => {
  const { name, arguments: given, text, value } = JSON.parse(line)
  return [{ name, arguments: given, agent }, { content: [{ type: 'text', text }], isError: false, value }]
})
const allow = async () => ({ kind: 'allow' })
const accept = async () => ({ kind: 'accept' })

const start = process.cpuUsage()
for (const [execution, result] of calls) {
  await listeners['tools/pre-execute'](execution, allow)
  guards[0](execution)
  await listeners['tools/post-execute'](execution, result, accept)
}
const { user, system } = process.cpuUsage(start)
process.stdout.write(`${(user + system) / calls.length}\n`)
