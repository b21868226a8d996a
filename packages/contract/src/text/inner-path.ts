import { limits } from './limits.ts'

/**
 * Whether a text is a path below the server's folder for whatever program reads it: relative, without `..`, home
 * directories, URLs, drives and control characters. Links are not resolved.
 */
export function isInnerPath(text: string): boolean {
  if (text === '' || new TextEncoder().encode(text).length > limits.pathBytes) return false
  if (/[\x00-\x1f\x7f\\]/.test(text) || /^(?:\/|~|[a-z][a-z\d+.-]*:)/i.test(text)) return false
  return !text.split('/').includes('..')
}
