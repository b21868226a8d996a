import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from './encryption.ts'

const passphrase = 'correct horse battery'
const quickCostLog2 = 4

async function* inParts(content: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes)
}

async function whole(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

const encrypted = (content: Buffer) => whole(encrypt(inParts(content, 10_000), passphrase, quickCostLog2))
const decrypted = (content: Buffer, by = passphrase) => whole(decrypt(inParts(content, 7_777), by))

test.for([0, 1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 3 * 64 * 1024])(
  '%i bytes are the same after encryption and decryption',
  async (bytes) => {
    const content = randomBytes(bytes)

    const file = await encrypted(content)

    expect(bytes > 100 && file.includes(content.subarray(0, 100))).toBe(false)
    expect((await decrypted(file)).equals(content)).toBe(true)
  },
)

test('the same content is encrypted differently each time', async () => {
  const content = Buffer.alloc(1_000)

  const [one, other] = [await encrypted(content), await encrypted(content)]

  expect(one.equals(other)).toBe(false)
})

test('a wrong passphrase, and a file that was changed, cut off or reordered, is refused', async () => {
  const file = await encrypted(randomBytes(200_000))
  const chunk = 64 * 1024 + 16
  const header = file.length - (3 * chunk + 200_000 - 3 * 64 * 1024 + 16)
  const changed = (at: number) => {
    const copy = Buffer.from(file)
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
    return copy
  }
  const parts = [0, 1, 2, 3].map((index) => file.subarray(header + index * chunk, header + (index + 1) * chunk))
  const [first, second, third, fourth] = parts as [Buffer, Buffer, Buffer, Buffer]
  const reordered = Buffer.concat([file.subarray(0, header), first, third, second, fourth])

  await expect(decrypted(file, 'correct horse batterz')).rejects.toThrow('The passphrase is wrong')
  for (const at of [header - 1, header - 20])
    await expect(decrypted(changed(at))).rejects.toThrow(/passphrase is wrong/)
  for (const at of [header + chunk, file.length - 1])
    await expect(decrypted(changed(at))).rejects.toThrow('The file is damaged.')
  await expect(decrypted(reordered)).rejects.toThrow('The file is damaged.')
  for (const length of [header + chunk, file.length - 1, header + 5, header, 40])
    await expect(decrypted(file.subarray(0, length))).rejects.toThrow(/damaged/)
})
