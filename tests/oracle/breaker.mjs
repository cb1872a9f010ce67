// Drives the published breaker over calls given as JSON Lines on standard input, alone or behind
// the reminder, as the harness's tool pipeline would.
//
// In:  {"mount":[["reminder",{…}],["breaker",{…}]],"answer":"approve|reject|unattended"}
//          fresh plugins in this order (first line, and any later one)
//      {"agent":"a","start":"c1","name":"t","arguments":…}   a call starts; or "text":"{…}", its
//          argument text as the model sent it; "refused":true: somebody stopped it before
//      {"agent":"a","settle":"c1","result":{…}}              it settles; a denied call's result
//          is the pipeline's own
//      {"agent":"a","user":true}     a step boundary that takes in a human message
//      {"agent":"a","user":false}    a step boundary that takes in other messages only
//      {"agent":"a","resume":true}   the agent is built anew from a saved session
//      {"fingerprints":{"name":…,"arguments":…}}             asks what a call is known by
// Out: one line per effect, N the 0-based input line that caused it:
//      {"at":N,"call":"c1","say":{"kind":"ask|deny|warn|summarize|fail_warn",…},"outcome":…}
//      {"at":N,"call":"c1","say":{"kind":"remind"},"summary":…}
//      {"at":N,"fps":[…],"local":…}, or {"at":N,"error":…} where a config is refused.
//
// The plugin's wording is replaced (see wording_hook.mjs), so what it decided comes out as data.
import { createInterface } from 'node:readline'
import { register } from 'node:module'

register(new URL('./wording_hook.mjs', import.meta.url))
const breaker = await import('dsh-repeat-tool-breaker')
const reminder = await import('@deepseek-ai/dsh-repeat-tool-reminder')
const lib = new URL('./node_modules/dsh-repeat-tool-breaker/lib/', import.meta.url)
const { fingerprints } = await import(new URL('fingerprints.js', lib))
const { mergeDefaults, validateCfg } = await import(new URL('defaults.js', lib))

const OUTCOMES = { approve: 'allowed-once', reject: 'rejected', unattended: 'unavailable' }

// The argument text as the agent loop reads it.
function argumentsOf(event) {
  if (event.text === undefined) return event.arguments
  try { return event.text ? JSON.parse(event.text) : {} } catch { return event.text }
}

class Harness {
  constructor({ mount, answer }) {
    this.outcome = OUTCOMES[answer]
    this.listeners = new Map()
    this.guards = []
    this.agents = new Map()
    this.running = new Map()
    const context = {
      on: (event, listener) => { this.listenersOf(event).push(listener); return () => {} },
      tools: { guard: (guard) => { this.guards.push(guard); return () => {} } },
    }
    for (const [name, config] of mount) {
      if (name === 'reminder') reminder.apply(context, reminder.Config(config))
      else breaker.apply(context, config)
      this.settings = name === 'breaker' ? validateCfg(mergeDefaults(config)) : this.settings
    }
  }

  listenersOf(event) {
    if (!this.listeners.has(event)) this.listeners.set(event, [])
    return this.listeners.get(event)
  }

  // Each listener wraps the ones mounted after it; the innermost step is the harness's own.
  fire(event, args, innermost) {
    const from = (position) => {
      const listener = this.listenersOf(event)[position]
      return listener ? listener(...args, async () => from(position + 1)) : innermost
    }
    return from(0)
  }

  agent(id) {
    if (!this.agents.has(id)) this.agents.set(id, { id })
    return this.agents.get(id)
  }

  async start(event, say) {
    const execution = { name: event.name, arguments: argumentsOf(event), agent: this.agent(event.agent) }
    const call = { execution, denied: false }
    this.running.set(`${event.agent}\n${event.start}`, call)
    if (event.refused) return
    const decision = await this.fire('tools/pre-execute', [execution], { kind: 'allow' })
    if (decision.kind === 'ask') {
      say({ call: event.start, say: JSON.parse(decision.reason), outcome: this.outcome })
      call.denied = this.outcome !== 'allowed-once'
      // What is declined is over before the next call starts: nothing runs that it could wait for.
      if (call.denied) return this.settle({ agent: event.agent, settle: event.start }, say)
    }
    for (const guard of this.guards) {
      const reason = guard(execution)
      if (reason === undefined) continue
      say({ call: event.start, say: JSON.parse(reason) })
      call.denied = true
      return
    }
  }

  async settle(event, say) {
    const key = `${event.agent}\n${event.settle}`
    if (!this.running.has(key)) return
    const { execution, denied } = this.running.get(key)
    this.running.delete(key)
    const result = denied ? { content: [], isError: true, error: { message: 'denied' } } : event.result
    const decision = await this.fire('tools/post-execute', [execution, result], { kind: 'accept' })
    for (const { source, content } of decision.additionalContexts ?? []) {
      const said = source.plugin === breaker.name ? JSON.parse(content[0].text) : { kind: 'remind' }
      say({ call: event.settle, say: said, summary: source.summary })
    }
  }

  boundary(event) {
    const kind = event.user ? 'user' : 'plugin'
    return this.fire('agent/pre-step', [{ agent: this.agent(event.agent), messages: [{ source: { kind } }] }], { kind: 'enter' })
  }
}

let harness
let at = -1
const say = (record) => process.stdout.write(JSON.stringify({ at, ...record }) + '\n')
for await (const line of createInterface({ input: process.stdin })) {
  at += 1
  const event = JSON.parse(line)
  try {
    if (event.mount) harness = new Harness(event)
    else if (event.fingerprints) say(fingerprints(event.fingerprints, harness.settings))
    else if (event.resume) harness.agents.delete(event.agent)
    else if ('user' in event) await harness.boundary(event)
    else if ('start' in event) await harness.start(event, say)
    else await harness.settle(event, say)
  } catch (error) {
    say({ error: `${error.message}` })
  }
}
