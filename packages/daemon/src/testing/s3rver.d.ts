declare module '@20minutes/s3rver' {
  import type { AddressInfo } from 'node:net'

  export default class S3rver {
    constructor(options: {
      readonly address?: string
      readonly port?: number
      readonly silent?: boolean
      readonly allowMismatchedSignatures?: boolean
      readonly directory: string
      readonly configureBuckets?: readonly { readonly name: string }[]
    })
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
