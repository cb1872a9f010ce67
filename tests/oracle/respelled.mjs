// Replays whole logs through the published reminder plugin: every line by JSON.parse, calls in model
// order once they are answered. It knows no more of a format than ordinary logs need.
//
// In:  ["dsh","/path/to/log"] a line
// Out: [[line,session,agent,summary,text],…] a line, for every reminder of that log
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import * as plugin from '@deepseek-ai/dsh-repeat-tool-reminder'

const NEVER_RAN = new Set(['TOOL_NOT_STARTED', 'TOOL_OUTCOME_UNKNOWN', 'ABORTED_BEFORE_DISPATCH'])

const argumentsOf = (text) => {
  try { return text ? JSON.parse(text) : {} } catch { return text }
}

// What the harness refuses before its guards.
const lossy = (value) => {
  if (typeof value === 'number') return !Number.isFinite(value) || Object.is(value, -0)
  return value !== null && typeof value === 'object' && Object.values(value).some(lossy)
}

class World {
  constructor() {
    this.listeners = new Map()
    plugin.apply({ on: (event, listener) => { this.listeners.set(event, listener); return () => {} } }, plugin.Config({}))
    this.agents = new Map()
    this.queues = new Map()
    this.open = new Map()
    this.seen = new Set()
    this.said = []
    this.session = undefined
  }

  agent(lane) {
    if (!this.agents.has(lane)) this.agents.set(lane, { id: lane })
    return this.agents.get(lane)
  }

  user(session, agent) {
    const lane = JSON.stringify([session, agent])
    return this.listeners.get('agent/pre-step')({ agent: this.agent(lane), messages: [{ source: { kind: 'user' } }] }, async () => ({ kind: 'enter' }))
  }

  forget(session, agent) { this.agents.delete(JSON.stringify([session, agent])) }

  begin(session) { this.session = session; this.agents.clear() }

  async call(line, session, agent, id, name, args, { step = '', answered = false } = {}) {
    const lane = JSON.stringify([session, agent])
    const call = { lane, session, agent, name, args, counts: true, answered: false }
    if (id !== undefined) {
      const key = JSON.stringify([lane, step, id])
      if (this.seen.has(key)) return
      this.seen.add(key)
      this.open.set(JSON.stringify([session, id]), call)
    }
    if (!this.queues.has(lane)) this.queues.set(lane, [])
    this.queues.get(lane).push(call)
    if (answered) await this.answer(line, call, true)
  }

  async result(line, session, id, counts = true) {
    const key = JSON.stringify([session, id])
    const call = this.open.get(key)
    this.open.delete(key)
    if (call) await this.answer(line, call, counts)
  }

  async answer(line, call, counts) {
    Object.assign(call, { answered: true, counts: call.counts && counts })
    const queue = this.queues.get(call.lane)
    while (queue.length && queue[0].answered) {
      const { lane, session, agent, name, args, counts: guarded } = queue.shift()
      if (!guarded) continue
      const execution = { name, arguments: args, agent: this.agent(lane) }
      const decision = await this.listeners.get('tools/post-execute')(execution, { content: [] }, async () => ({ kind: 'accept' }))
      for (const { source, content } of decision.additionalContexts ?? []) {
        this.said.push([line, session, agent, source.summary, content[0].text])
      }
    }
  }
}

async function canonical(world, line, record, hasResults) {
  const agent = record.agent ?? 'main'
  const { session } = world
  if (record.type === 'session') world.begin(record.id)
  else if (record.type === 'user_message') { if ((record.source?.kind ?? 'user') === 'user') await world.user(session, agent) }
  else if (record.type === 'resume') world.forget(session, agent)
  else if (record.type === 'tool_result') await world.result(line, session, record.call_id, record.status !== 'skipped')
  else if (record.type === 'tool_call') {
    const args = record.arguments_text === undefined ? record.arguments : argumentsOf(record.arguments_text)
    await world.call(line, session, agent, record.id, record.name, args, { answered: !hasResults })
  }
}

async function claude(world, line, record) {
  if (!['user', 'assistant'].includes(record.type)) return
  if (world.seen.has(record.uuid)) return
  world.seen.add(record.uuid)
  const session = record.sessionId
  const agent = record.agentId ?? 'main'
  const { content } = record.message
  const blocks = typeof content === 'string' ? [{ type: 'text' }] : content
  for (const block of blocks) {
    if (record.type === 'assistant') {
      if (block.type === 'tool_use') await world.call(line, session, agent, block.id, block.name, block.input)
    } else if (block.type === 'tool_result') await world.result(line, session, block.tool_use_id)
    else if (!record.isMeta) await world.user(session, agent)
  }
}

async function codex(world, line, { type, payload }) {
  const { session } = world
  if (type === 'session_meta') world.begin(payload.id)
  else if (type === 'event_msg') { if (payload.type === 'user_message') await world.user(session, 'main') }
  else if (type !== 'response_item') return
  else if (payload.type.endsWith('_output')) await world.result(line, session, payload.call_id)
  else if (payload.type.endsWith('_call')) {
    const name = payload.namespace ? `${payload.namespace}.${payload.name}` : payload.name
    const args = payload.type === 'custom_tool_call' ? payload.input : argumentsOf(payload.arguments)
    await world.call(line, session, 'main', payload.call_id, name, args)
  }
}

async function dsh(world, line, { type, data, id }) {
  const { session } = world
  if (type === 'session') world.begin(id)
  else if (type === 'user/message') { if (data.source.kind === 'user') await world.user(session, session) }
  else if (type === 'session/end-seed') world.forget(session, session)
  else if (type === 'tool/result') await world.result(line, session, data.message.source.callId, !NEVER_RAN.has(data.error?.code))
  else if (type === 'tool/call') {
    const args = argumentsOf(data.arguments)
    const step = `${data.turn}/${data.step}`
    await world.call(line, session, session, data.callId, data.name, args, { step })
    if (lossy(args)) world.open.get(JSON.stringify([session, data.callId])).counts = false
  }
}

const READERS = {
  canonical: (...given) => canonical(...given, true),
  blind: (...given) => canonical(...given, false),
  'claude-code': claude,
  codex,
  dsh,
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function * records(path) {
  let bytes = readFileSync(path)
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) bytes = bytes.subarray(3)
  for (let line = 1, start = 0; start < bytes.length; line += 1) {
    const found = bytes.indexOf(10, start)
    const end = found < 0 ? bytes.length : found
    let value
    try { value = JSON.parse(decoder.decode(bytes.subarray(start, end))) } catch { value = undefined }
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) yield [line, value]
    start = end + 1
  }
}

for await (const asked of createInterface({ input: process.stdin })) {
  const [format, path] = JSON.parse(asked)
  const world = new World()
  for (const [line, record] of records(path)) await READERS[format](world, line, record)
  process.stdout.write(JSON.stringify(world.said) + '\n')
}
