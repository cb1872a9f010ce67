// The plugin's way of counting in the plugin's language: JSON.parse, keys sorted, one chain an agent.
// usage: node reference.mjs REPORT CORPUS FILE. Prints placements: line, agent, tool, count.
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [report, corpus, file] = process.argv.slice(2)
const thresholds = new Set([3, 5, 8])
const chains = new Map()
const calls = new Map()
const placements = []

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const out = {}
  for (const key of Object.keys(value).sort()) out[key] = sorted(value[key])
  return out
}

function count(line, agent, name, args) {
  const key = JSON.stringify([name, JSON.stringify(sorted(args))])
  const last = chains.get(agent)
  const times = last !== undefined && last.key === key ? last.count + 1 : 1
  chains.set(agent, { key, count: times })
  if (thresholds.has(times)) placements.push(`${line}\t${agent}\t${name}\t${times}\n`)
}

function settle(line, id) {
  const call = calls.get(id)
  calls.delete(id)
  count(line, call.agent, call.name, call.args)
}

const readers = {
  canonical(line, record) {
    if (record.type === 'session') chains.clear()
    else if (record.type === 'user_message') chains.delete(record.agent)
    else count(line, record.agent, record.name, record.arguments)
  },
  claude(line, record) {
    if (record.message === undefined) return
    const agent = record.agentId ?? 'main'
    const { content } = record.message
    if (typeof content === 'string') { chains.delete(agent); return }
    for (const block of content) {
      if (block.type === 'tool_use') calls.set(block.id, { agent, name: block.name, args: block.input })
      else if (block.type === 'tool_result') settle(line, block.tool_use_id)
    }
  },
  codex(line, { payload }) {
    if (payload.type === 'user_message') chains.delete('main')
    else if (payload.type === 'function_call') {
      calls.set(payload.call_id, { agent: 'main', name: payload.name, args: JSON.parse(payload.arguments) })
    } else if (payload.type === 'custom_tool_call') {
      calls.set(payload.call_id, { agent: 'main', name: payload.name, args: payload.input })
    } else if (payload.type === 'function_call_output' || payload.type === 'custom_tool_call_output') {
      settle(line, payload.call_id)
    }
  },
  dsh(line, { type, data }) {
    if (type === 'user/message') { if (data.source.kind === 'user') chains.delete('main') }
    else if (type === 'tool/call') {
      calls.set(data.callId, { agent: 'main', name: data.name, args: JSON.parse(data.arguments) })
    } else if (type === 'tool/result') settle(line, data.message.source.callId)
  },
}

const read = readers[corpus]
let number = 0
// Not for await: that would wait for a promise at every line.
const lines = createInterface({ input: createReadStream(file, { highWaterMark: 1 << 20 }), crlfDelay: Infinity })
lines.on('line', (line) => { number += 1; read(number, JSON.parse(line)) })
lines.on('close', () => {
  process.stdout.write(placements.join(''))
  if (!existsSync('/proc/self/status')) return
  const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
  if (peak) writeFileSync(report, peak[1])
})
