// Drives the published reminder plugin over calls given as JSON Lines on standard input.
//
// In:  {"config":{…}}                           a fresh plugin with this config (first line, and any later one)
//      {"agent":"a","name":"t","text":"{…}"}    a settled call, with its argument text as the model sent it
//      {"agent":"a","user":true}                a step boundary that takes in a human message
//      {"agent":"a","user":false}               a step boundary that takes in other messages only
//      {"agent":"a","resume":true}              the agent is built anew from a saved session
// Out: one line per reminder: {"at":N,"summary":…,"source":…,"text":…}, N the 0-based input line;
//      {"at":N,"error":…} where the plugin refuses a config or a call.
import { createInterface } from 'node:readline'
import * as plugin from '@deepseek-ai/dsh-repeat-tool-reminder'

function mount(config) {
  const listeners = new Map()
  const context = { on: (event, listener) => { listeners.set(event, listener); return () => {} } }
  plugin.apply(context, plugin.Config(config))
  const agents = new Map()
  return {
    agent(id) {
      if (!agents.has(id)) agents.set(id, { id })
      return agents.get(id)
    },
    forget: (id) => agents.delete(id),
    settle: (call) => listeners.get('tools/post-execute')(call, { content: [] }, async () => ({ kind: 'accept' })),
    boundary: (agent, kind) => listeners.get('agent/pre-step')({ agent, messages: [{ source: { kind } }] }, async () => ({ kind: 'enter' })),
  }
}

// The agent loop's reading of argument text.
function argumentsOf(text) {
  try { return text ? JSON.parse(text) : {} } catch { return text }
}

let guard
let at = -1
const say = (record) => process.stdout.write(JSON.stringify({ at, ...record }) + '\n')
for await (const line of createInterface({ input: process.stdin })) {
  at += 1
  const event = JSON.parse(line)
  try {
    if (event.config) guard = mount(event.config)
    else if (event.resume) guard.forget(event.agent)
    else if ('user' in event) await guard.boundary(guard.agent(event.agent), event.user ? 'user' : 'plugin')
    else {
      const decision = await guard.settle({ name: event.name, arguments: argumentsOf(event.text), agent: guard.agent(event.agent) })
      for (const message of decision.additionalContexts ?? []) {
        say({ summary: message.source.summary, source: message.source, text: message.content[0].text })
      }
    }
  } catch (error) {
    say({ error: `${error.message}` })
  }
}
