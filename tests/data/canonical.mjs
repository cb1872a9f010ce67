// What a JavaScript engine makes of argument texts. One JSON object {text, cap} a line on stdin,
// one JSON array [canonical form, refused by DSH, length, preview] a line on stdout.
import { readFileSync } from 'node:fs'

const parsed = (text) => {
  try {
    return text ? JSON.parse(text) : {}
  } catch {
    return text
  }
}

// A fresh object literal on purpose: assigning to its key __proto__ adds no member.
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const copy = {}
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key])
  return copy
}

const lossy = (value) => {
  if (typeof value === 'number') return !Number.isFinite(value) || Object.is(value, -0)
  return value !== null && typeof value === 'object' && Object.keys(value).some((key) => lossy(value[key]))
}

const shortened = (form, cap) =>
  form.length > cap ? `${form.slice(0, cap)}\u2026 (+${form.length - cap} more chars)` : form

const answers = []
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue
  const { text, cap } = JSON.parse(line)
  const value = parsed(text)
  const form = JSON.stringify(sorted(value))
  answers.push(JSON.stringify([form, lossy(value), form.length, shortened(form, cap)]))
}
process.stdout.write(answers.join('\n'))
