/** Content sources: only the panel itself, and only scripts of the web app. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "script-src-attr 'none'",
  // Mantine sets style attributes and one style element.
  "style-src 'self' 'unsafe-inline'",
  // Images of a server's files are fetched with the bearer token and displayed as blobs.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  // Includes the live socket of the same host, see Content Security Policy Level 3.
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // No `upgrade-insecure-requests`: plain http in a home network is supported.
]

/** The security headers of every response: those that Helmet sets, with our policy. */
export const securityHeaders = {
  'content-security-policy': contentSecurityPolicy.join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const
