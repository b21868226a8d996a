const parameters: Readonly<Record<string, string>> = {
  require: '?uselibpqcompat=true&sslmode=require',
  'verify-ca': '?sslmode=verify-full',
  'verify-full': '?sslmode=verify-full',
}

/** The query of the URL of a PostgreSQL server for an `sslmode` of libpq; empty unless it needs TLS. */
export const tlsParameters = (sslmode: string | undefined): string =>
  sslmode !== undefined && Object.hasOwn(parameters, sslmode) ? (parameters[sslmode] ?? '') : ''
