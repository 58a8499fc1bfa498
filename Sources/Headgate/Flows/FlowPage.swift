/// The page of a recording.
enum FlowPage {
    static func text(_ timeline: FlowTimeline) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>Flow</title>
        <style>
        \(style)
        </style>
        </head>
        <body>
        \(body)
        <script type="application/json" id="data">\(timeline.data)</script>
        <script>
        \(script)
        </script>
        </body>
        </html>

        """
    }

    private static let style = """
        :root {
          --page: #ffffff; --text: #1f2430; --faint: #6b7280; --line: #e2e5ea; --panel: #f6f7f9;
          --busy: #e07b00; --starved: #3d8bd0; --held: #a9a3c4; --mark: #1f2430; --demand: #1a8a5a; --found: #d6006c;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #15181e; --text: #e6e8ec; --faint: #9aa2af; --line: #2b313b; --panel: #1d222a;
            --busy: #f59a2f; --starved: #4f9fe6; --held: #6d6790; --mark: #e6e8ec; --demand: #3fc98a; --found: #ff5fae;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.4 system-ui, sans-serif; }
        header { padding: 16px 20px 8px; }
        h1 { font-size: 18px; margin: 0 0 8px; }
        pre { margin: 0; padding: 10px 12px; background: var(--panel); border-radius: 6px; overflow-x: auto;
          font: 12px/1.5 ui-monospace, monospace; }
        form { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 8px 20px; position: sticky;
          top: 0; background: var(--page); border-bottom: 1px solid var(--line); z-index: 1; }
        input { font: inherit; padding: 4px 8px; width: 16em; color: inherit; background: var(--panel);
          border: 1px solid var(--line); border-radius: 6px; }
        button { font: inherit; padding: 4px 10px; color: inherit; background: var(--panel);
          border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
        .key { color: var(--faint); }
        .key i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin: 0 5px -1px 10px; }
        #status { color: var(--faint); min-width: 8em; }
        #lanes { display: block; width: 100%; cursor: grab; touch-action: none; }
        #tip { position: fixed; pointer-events: none; max-width: 40em; padding: 6px 9px; white-space: pre-wrap;
          overflow-wrap: anywhere; background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
          font: 12px/1.4 ui-monospace, monospace; display: none; z-index: 2; }
        """

    private static let body = """
        <header><h1 id="title"></h1><pre id="table"></pre></header>
        <form id="controls">
          <input id="search" type="search" placeholder="Search stages and values" aria-label="Search">
          <button type="button" id="previous">Previous</button>
          <button type="submit">Next</button>
          <span id="status" aria-live="polite"></span>
          <button type="button" id="closer">Zoom in</button>
          <button type="button" id="wider">Zoom out</button>
          <button type="button" id="all">Show all</button>
          <span class="key"><i style="background: var(--busy)"></i>busy<i style="background: var(--starved)"></i>starved<i
            style="background: var(--held)"></i>held<i style="background: var(--demand)"></i>demand</span>
        </form>
        <canvas id="lanes" tabindex="0" aria-label="Lanes of the streams"></canvas>
        <div id="tip" role="tooltip"></div>
        """
}
