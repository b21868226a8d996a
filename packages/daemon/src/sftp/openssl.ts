import { createRequire } from 'node:module'

/** A cipher context: an address in the memory of this process, 0 for none. */
export type Context = bigint

/** An address, or bytes whose address is meant. Nobody checks how many they are. */
type Memory = bigint | Uint8Array | Int32Array | null

/** Those of OpenSSL's functions that we call. They answer 1 when they worked. */
export interface OpenSsl {
  readonly newContext: () => Context
  readonly freeContext: (context: Context) => void
  readonly aes128Gcm: () => bigint
  readonly aes256Gcm: () => bigint
  readonly init: (
    context: Context,
    cipher: bigint | null,
    engine: null,
    key: Memory,
    nonce: Memory,
    direction: number,
  ) => number
  readonly update: (context: Context, to: Memory, written: Memory, from: Memory, length: number) => number
  readonly final: (context: Context, to: Memory, written: Memory) => number
  readonly control: (context: Context, what: number, length: number, bytes: Memory) => number
}

/** Their declarations (`openssl/evp.h`), which have been the same since OpenSSL 1.1. */
const declarations = {
  newContext: 'void *EVP_CIPHER_CTX_new()',
  freeContext: 'void EVP_CIPHER_CTX_free(void *context)',
  aes128Gcm: 'void *EVP_aes_128_gcm()',
  aes256Gcm: 'void *EVP_aes_256_gcm()',
  init: 'int EVP_CipherInit_ex(void *context, void *cipher, void *engine, void *key, void *nonce, int direction)',
  update: 'int EVP_CipherUpdate(void *context, void *to, void *written, void *from, int length)',
  final: 'int EVP_CipherFinal_ex(void *context, void *to, void *written)',
  control: 'int EVP_CIPHER_CTX_ctrl(void *context, int what, int length, void *bytes)',
} satisfies Record<keyof OpenSsl, string>

let found: OpenSsl | Error | undefined

/** OpenSSL as this process has it loaded, for Node.js itself. `undefined` where it cannot be called. */
export function openSsl(): OpenSsl | undefined {
  found ??= find()
  return found instanceof Error ? undefined : found
}

/** Why OpenSSL cannot be called, once somebody asked for it. */
export const whyNoOpenSsl = (): Error | undefined => (found instanceof Error ? found : undefined)

/** Not before the first connection: the library takes 10 ms and 6 MiB. */
function find(): OpenSsl | Error {
  try {
    const library = createRequire(import.meta.url)('koffi') as typeof import('koffi')
    const process = library.load(null)
    const functions = Object.entries(declarations).map(([name, declaration]) => [name, process.func(declaration)])
    return Object.fromEntries(functions) as OpenSsl
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
