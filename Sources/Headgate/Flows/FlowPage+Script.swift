extension FlowPage {
    /// Draws the lanes, and handles zoom and search.
    static let script = #"""
        'use strict';
        const data = JSON.parse(document.getElementById('data').textContent);
        const element = id => document.getElementById(id);
        const canvas = element('lanes'), pen = canvas.getContext('2d');
        const label = 170, axis = 26, height = 64, names = ['busy', 'starved', 'held'];
        const first = data.lanes.reduce((least, lane) => Math.min(least, lane.states.length ? lane.states[0][0] : least),
          Infinity);
        const last = data.lanes.reduce((most, lane) => lane.states.reduce((most, state) => Math.max(most, state[1]), most), 0);
        const begin = Number.isFinite(first) ? first : 0, end = Math.max(last, begin + 1);
        let from = begin, to = end, found = [], place = -1, words = '', colors = {}, isDrawn = false;

        document.title = data.flow;
        const [title, ...table] = data.table.split('\n');
        element('title').textContent = title;
        element('table').textContent = table.join('\n') + (data.omitted ? `\n${data.omitted} older events are not shown` : '');

        /// The first index whose time is not before a time.
        function search(list, time, index) {
          let low = 0, high = list.length;
          while (low < high) {
            const middle = (low + high) >> 1;
            if (list[middle][index] < time) low = middle + 1; else high = middle;
          }
          return low;
        }

        function duration(nanoseconds) {
          for (const [unit, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]) {
            if (Math.abs(nanoseconds) >= unit) return +(nanoseconds / unit).toFixed(3) + ' ' + name;
          }
          return Math.round(nanoseconds) + ' ns';
        }

        // Read once per drawing: each reading may lay the page out again.
        let shownWidth = 1;
        const width = () => shownWidth;
        const x = time => label + (time - from) / (to - from) * width();
        const time = x => from + (x - label) / width() * (to - from);

        function redraw() {
          // What it says is no longer below it.
          element('tip').style.display = 'none';
          if (isDrawn) return;
          isDrawn = true;
          requestAnimationFrame(() => { isDrawn = false; draw(); });
        }

        function draw() {
          const style = getComputedStyle(document.documentElement);
          for (const name of [...names, 'text', 'faint', 'line', 'mark', 'demand', 'found', 'page']) {
            colors[name] = style.getPropertyValue('--' + name).trim();
          }
          const ratio = window.devicePixelRatio || 1, total = axis + data.lanes.length * height + 10;
          canvas.style.height = total + 'px';
          shownWidth = Math.max(1, canvas.clientWidth - label - 12);
          // A canvas has a limit: what is out of sight of a very long page is not drawn finely.
          const scale = Math.min(ratio, 16000 / total);
          canvas.width = canvas.clientWidth * scale;
          canvas.height = total * scale;
          pen.setTransform(scale, 0, 0, scale, 0, 0);
          pen.font = '12px system-ui, sans-serif';
          pen.textBaseline = 'middle';
          drawAxis(total);
          const top = canvas.getBoundingClientRect().top;
          data.lanes.forEach((lane, number) => {
            const y = axis + number * height;
            if (top + y + height > -200 && top + y < window.innerHeight + 200) drawLane(lane, y);
          });
        }

        function drawAxis(total) {
          const rough = (to - from) / Math.max(2, width() / 110);
          const power = 10 ** Math.floor(Math.log10(rough));
          const step = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough);
          for (let tick = Math.ceil((from - begin) / step) * step; tick <= to - begin; tick += step) {
            const column = x(begin + tick);
            pen.fillStyle = colors.line;
            pen.fillRect(column, axis - 6, 1, total - axis);
            pen.fillStyle = colors.faint;
            pen.fillText(duration(tick), column + 4, axis / 2);
          }
        }

        function drawLane(lane, y) {
          const right = label + width();
          pen.fillStyle = colors.line;
          pen.fillRect(0, y + height - 1, label + width() + 12, 1);
          pen.fillStyle = colors.text;
          pen.save();
          pen.beginPath();
          pen.rect(0, y, label - 8, height);
          pen.clip();
          pen.fillText(lane.title, 20, y + height / 2);
          pen.restore();
          pen.save();
          pen.beginPath();
          pen.rect(label, y, width(), height);
          pen.clip();
          drawStates(lane, y + 24, 14, right);
          drawDemand(lane, y + 42, 16, right);
          drawMarks(lane, y + 6, 14, right);
          pen.restore();
        }

        function drawStates(lane, y, size, right) {
          // Intervals shorter than a column share it, in proportion.
          const columns = new Map();
          const share = (column, state, part) => {
            let parts = columns.get(column);
            if (!parts) columns.set(column, parts = [0, 0, 0]);
            parts[state] += part;
          };
          for (let index = search(lane.states, from, 1); index < lane.states.length; index++) {
            const [start, stop, state] = lane.states[index];
            if (start > to) break;
            const a = Math.max(label, x(start)), b = Math.min(right, x(stop));
            const first = Math.floor(a), last = Math.floor(b);
            if (first === last) { share(first, state, Math.max(b - a, 0.02)); continue; }
            share(first, state, first + 1 - a);
            if (b > last) share(last, state, b - last);
            pen.fillStyle = colors[names[state]];
            pen.fillRect(first + 1, y, last - first - 1, size);
          }
          for (const [column, parts] of columns) {
            const whole = parts[0] + parts[1] + parts[2];
            let top = y;
            parts.forEach((part, state) => {
              pen.fillStyle = colors[names[state]];
              pen.fillRect(column, top, 1, size * part / whole);
              top += size * part / whole;
            });
          }
        }

        function drawDemand(lane, y, size, right) {
          if (!lane.demand.length) return;
          lane.most ??= lane.demand.reduce((most, step) => Math.max(most, step[1]), 1);
          const level = demand => demand < 0 ? y : y + size - 2 - (size - 5) * demand / lane.most;
          let index = Math.max(0, search(lane.demand, from, 0) - 1);
          const clamped = time => Math.min(right, Math.max(label, x(time)));
          const last = lane.states.length ? lane.states[lane.states.length - 1][1] : to;
          pen.fillStyle = colors.demand;
          // What changes within a column is drawn as one line from the least to the greatest.
          let column = -1, least = 0, most = 0, height = 0;
          const drawColumn = () => { if (column >= 0) pen.fillRect(column, least, 1.5, most - least + 1.5); };
          for (; index < lane.demand.length && lane.demand[index][0] <= to; index++) {
            const start = clamped(lane.demand[index][0]), before = column < 0 ? null : height;
            const stop = clamped(index + 1 < lane.demand.length ? lane.demand[index + 1][0] : last);
            height = level(lane.demand[index][1]);
            if (Math.floor(start) !== column) {
              drawColumn();
              column = Math.floor(start);
              least = Math.min(height, before ?? height);
              most = Math.max(height, before ?? height);
            } else {
              least = Math.min(least, height);
              most = Math.max(most, height);
            }
            if (stop - start > 1) pen.fillRect(start, height, stop - start, 1.5);
          }
          drawColumn();
        }

        function drawMarks(lane, y, size, right) {
          let column = -1;
          const show = (mark, isFound) => {
            const here = Math.round(x(mark[0]));
            if (!isFound && here === column) return;
            column = here;
            pen.fillStyle = isFound ? colors.found : colors.mark;
            if (mark[1] === 0) pen.fillRect(here, y, isFound ? 2 : 1, size);
            else { pen.beginPath(); pen.arc(here, y + size / 2, 4, 0, 7); pen.fill(); }
          };
          const start = search(lane.marks, from, 0);
          for (let index = start; index < lane.marks.length && lane.marks[index][0] <= to; index++) show(lane.marks[index], false);
          if (!words) return;
          for (let index = start; index < lane.marks.length && lane.marks[index][0] <= to; index++) {
            if (lane.isFound || lane.marks[index][2].toLowerCase().includes(words)) show(lane.marks[index], true);
          }
        }

        function zoom(factor, center) {
          const length = Math.min(end - begin, Math.max(100, (to - from) * factor));
          const share = (center - from) / (to - from);
          from = Math.min(Math.max(begin, center - share * length), end - length);
          to = from + length;
          redraw();
        }

        function move(change) {
          const length = to - from;
          from = Math.min(Math.max(begin, from + change), end - length);
          to = from + length;
          redraw();
        }

        function find() {
          words = element('search').value.trim().toLowerCase();
          found = [];
          place = -1;
          data.lanes.forEach((lane, number) => {
            lane.isFound = words !== '' && lane.stage.toLowerCase().includes(words);
            if (words) for (const mark of lane.marks) {
              if (lane.isFound || mark[2].toLowerCase().includes(words)) found.push([mark[0], number]);
            }
          });
          found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
          element('status').textContent = words ? `${found.length} found` : '';
          redraw();
        }

        function go(step) {
          if (!found.length) return;
          place = (place + step + found.length) % found.length;
          if (place < 0) place = found.length - 1;
          const [moment, number] = found[place];
          if (to - from > (end - begin) / 2 && end - begin > 1e4) { zoom(0.1, moment); }
          move(moment - (from + to) / 2);
          const top = canvas.getBoundingClientRect().top + window.scrollY + axis + number * height;
          if (top < window.scrollY + 80 || top + height > window.scrollY + window.innerHeight) window.scrollTo({top: top - 120});
          element('status').textContent = `${place + 1} of ${found.length}`;
        }

        function show(event) {
          const box = canvas.getBoundingClientRect(), column = event.clientX - box.left;
          const lane = data.lanes[Math.floor((event.clientY - box.top - axis) / height)];
          const tip = element('tip');
          if (!lane || column < label) { tip.style.display = 'none'; return; }
          const moment = time(column);
          const state = lane.states[search(lane.states, moment, 1)];
          const step = lane.demand[search(lane.demand, moment, 0) - 1];
          const near = search(lane.marks, moment, 0);
          const mark = [lane.marks[near - 1], lane.marks[near]].filter(Boolean)
            .sort((a, b) => Math.abs(a[0] - moment) - Math.abs(b[0] - moment))[0];
          const lines = [lane.title + ' at ' + duration(moment - begin)];
          if (state && state[0] <= moment) lines.push(names[state[2]] + ' for ' + duration(state[1] - state[0]));
          if (step) lines.push('demand ' + (step[1] < 0 ? 'unlimited' : step[1]));
          if (mark && Math.abs(x(mark[0]) - column) < 8) lines.push((mark[1] ? '' : 'value ') + mark[2].slice(0, 400));
          tip.textContent = lines.join('\n');
          tip.style.display = 'block';
          tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
          tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
        }

        let grip = null;
        canvas.addEventListener('wheel', event => {
          if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            move((event.deltaX || event.deltaY) / width() * (to - from));
          } else if (event.ctrlKey || event.metaKey || event.altKey) {
            event.preventDefault();
            zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event.offsetX));
          }
        }, {passive: false});
        canvas.addEventListener('pointerdown', event => { grip = event.clientX; canvas.setPointerCapture(event.pointerId); });
        canvas.addEventListener('pointerup', () => { grip = null; });
        canvas.addEventListener('pointermove', event => {
          if (grip !== null) { move((grip - event.clientX) / width() * (to - from)); grip = event.clientX; }
          show(event);
        });
        canvas.addEventListener('pointerleave', () => { element('tip').style.display = 'none'; });
        canvas.addEventListener('dblclick', event => zoom(0.25, time(event.offsetX)));
        canvas.addEventListener('keydown', event => {
          const part = (to - from) / 10;
          const acts = {
            '+': () => zoom(0.5, (from + to) / 2), '-': () => zoom(2, (from + to) / 2), '0': () => zoom(1e9, from),
            ArrowLeft: () => move(-part), ArrowRight: () => move(part),
          };
          if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
        });
        element('controls').addEventListener('submit', event => { event.preventDefault(); go(1); });
        element('previous').addEventListener('click', () => go(place < 0 ? 0 : -1));
        element('closer').addEventListener('click', () => zoom(0.5, (from + to) / 2));
        element('wider').addEventListener('click', () => zoom(2, (from + to) / 2));
        element('all').addEventListener('click', () => { from = begin; to = end; redraw(); });
        element('search').addEventListener('input', find);
        window.addEventListener('resize', redraw);
        window.addEventListener('scroll', redraw);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
        if (location.hash.length > 1) { element('search').value = decodeURIComponent(location.hash.slice(1)); find(); }
        draw();
        """#
}
