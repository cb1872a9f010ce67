// Gives the published breaker other words: its decisions come out as data, not as prose to parse.
const WORDS = 'dsh-repeat-tool-breaker/lib/message.js'

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  if (!found.url.endsWith(WORDS) || found.url.includes('?')) return found
  // The real module is asked for what is no message, under an address that is not replaced.
  const url = new URL('./wording.mjs', import.meta.url)
  url.searchParams.set('real', `${found.url}?real`)
  return { ...found, url: url.href }
}
