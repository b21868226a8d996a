/** Runs the steps of a test one after the other, prints each result and counts them. */
export class Steps {
  passed = 0
  failed = 0

  /**
   * Runs a step.
   * @throws Error when it fails: the steps after it need what it did.
   */
  async step<T>(title: string, act: () => T | Promise<T>): Promise<T> {
    const before = performance.now()
    try {
      const result = await act()
      this.passed++
      console.log(`ok      ${title} (${((performance.now() - before) / 1000).toFixed(1)} s)`)
      return result
    } catch (error) {
      this.failed++
      console.log(`FAILED  ${title}: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
      throw error
    }
  }
}
