const sampleBytes = 4096
const samples = 4
const compressedBits = 7.95

/** Whether bytes look compressed or encrypted: all values are about equally frequent. */
export function looksCompressed(bytes: Uint8Array): boolean {
  if (bytes.length < samples * sampleBytes) return false
  const counts = new Uint32Array(256)
  const stride = Math.floor((bytes.length - sampleBytes) / (samples - 1))
  for (let sample = 0; sample < samples; sample++) {
    const end = sample * stride + sampleBytes
    for (let at = sample * stride; at < end; at++) {
      const value = bytes[at] ?? 0
      counts[value] = (counts[value] ?? 0) + 1
    }
  }
  const total = samples * sampleBytes
  let bits = 0
  for (const count of counts) if (count > 0) bits -= (count / total) * Math.log2(count / total)
  return bits > compressedBits
}
