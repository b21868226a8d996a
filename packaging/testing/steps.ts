/** Runs the steps of a test, prints their results and counts them. */
export class Steps {
  passed = 0
  failed = 0

  /**
   * Runs a step.
   * @throws Error when it fails, because later steps depend on it.
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
