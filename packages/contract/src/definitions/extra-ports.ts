import type { Variables } from './variables.ts'

/** Whether a variable is a port that users of the server have taken. */
export const isExtraPort = (name: string): boolean => /^extra_port_[1-9]\d{0,3}$/.test(name)

export function withoutExtraPorts<V extends Variables>(data: V): V {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !isExtraPort(name))) as V
}
