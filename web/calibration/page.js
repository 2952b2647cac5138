// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Shows what `commmap calibrate --page` and `commmap calibrate --check --page` measured. docs/admin/calibrate.md has the keys of
// the data. Names come from files and nodes of others: they become text, never HTML.
"use strict";

(() => {
    // The pictures are canvases, which know no style sheet.
    const style = getComputedStyle(document.documentElement);
    const colour = Object.fromEntries(["text", "grid", "measured", "band", "fitted", "file"].map(
        (name) => [name, style.getPropertyValue(`--${name}`).trim()]));

    // Makes an element with text or elements in it; null and undefined are left out.
    function make(tag, attributes, ...children) {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        element.append(...children.filter((child) => child !== null && child !== undefined));
        return element;
    }

    function table(caption, heads, rows) {
        const cell = (tag, value) => {
            const isNumber = value !== null && typeof value === "object" && "number" in value;
            return make(tag, isNumber ? {class: "number"} : {}, isNumber ? value.number : value);
        };
        return make("div", {class: "scroll"}, make("table", {},
            make("caption", {}, caption),
            make("thead", {}, make("tr", {}, ...heads.map((head) => cell("th", head)))),
            make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((value) => cell("td", value)))))));
    }
    const right = (text) => ({number: text});

    // Three significant digits, with a unit of the wanted size.
    function scaled(value, units) {
        if (value === null) return "–";
        let [unit, factor] = units[0];
        for (const [name, of] of units) if (value >= of) [unit, factor] = [name, of];
        return `${Number((value / factor).toPrecision(3))} ${unit}`;
    }
    const rate = (bytes) => scaled(bytes, [["B/s", 1], ["kB/s", 1e3], ["MB/s", 1e6], ["GB/s", 1e9]]);
    const seconds = (value) => scaled(value, [["ns", 1e-9], ["µs", 1e-6], ["ms", 1e-3], ["s", 1]]);
    const length = (bytes) => scaled(bytes, [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30]]);
    const percent = (share) => `${(100 * share).toFixed(1)} %`;
    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    const withSpread = (value, show) => (value === null ? "–" : `${show(value.value)} (spread\u00a0${percent(value.spread).replace(" ", "\u00a0")})`);

    // A curve's bandwidth at a length, as the estimate reads it: linear in log2(length), constant outside.
    function bandwidthAt(curve, bytes) {
        if (curve.length === 0) return Infinity;
        const after = curve.findIndex(([of]) => of >= bytes);
        if (after === 0) return curve[0][1];
        if (after < 0) return curve[curve.length - 1][1];
        const [a, b] = [curve[after - 1], curve[after]];
        return a[1] + (b[1] - a[1]) * Math.log2(bytes / a[0]) / Math.log2(b[0] / a[0]);
    }
    const timeOf = (link, bytes) => link.latency_s + bytes / bandwidthAt(link.curve, bytes);

    function roundTrips(kind) {
        const points = new Map();
        for (const series of kind.series) {
            if (series.pattern !== "round-trips") continue;
            for (const point of series.points) points.set(point.length_bytes, point.values);
        }
        return [...points].sort((a, b) => a[0] - b[0]);
    }

    // The first two lines of a picture, between which it is coloured. uPlot's own first series is the length.
    const fastestLine = 1;
    const slowestLine = 2;

    // A picture of lines over the message length; both axes are logarithmic.
    function picture(title, unit, show, lengths, lines) {
        const figure = make("figure", {}, make("h3", {}, title));
        const axis = {stroke: colour.text, grid: {stroke: colour.grid, width: 1}, ticks: {stroke: colour.grid, width: 1}, font: "12px system-ui, sans-serif"};
        const options = {
            width: 540,
            height: 340,
            scales: {x: {time: false, distr: 3, log: 2}, y: {distr: 3, log: 10}},
            axes: [
                {...axis, label: "length of a message", space: 60, values: (_, values) => values.map((v) => (v === null ? "" : length(v)))},
                {...axis, label: unit, size: 80, values: (_, values) => values.map((v) => (v === null ? "" : show(v)))},
            ],
            series: [
                {label: "length", value: (_, v) => (v === null ? "" : length(v))},
                ...lines.map((line) => ({
                    label: line.label, stroke: line.stroke, width: line.width ?? 2, dash: line.dash,
                    points: {show: !line.dash && line.width === undefined, size: 5}, value: (_, v) => (v === null || v === undefined ? "" : show(v)),
                })),
            ],
            bands: [{series: [fastestLine, slowestLine], fill: colour.band, dir: 0}],
        };
        new uPlot(options, [lengths, ...lines.map((line) => line.values)], figure);
        return figure;
    }

    function picturesOf(kind) {
        const points = roundTrips(kind);
        if (points.length < 2) return null;
        const lengths = points.map(([bytes]) => bytes);
        const fastest = points.map(([, values]) => Math.min(...values));
        const slowest = points.map(([, values]) => Math.max(...values));
        // A point of one byte has no bandwidth to speak of: a link without a curve has no line.
        const lines = (of, ofLink) => [
            {label: "fastest block", stroke: colour.measured, values: fastest.map(of)},
            {label: "slowest block", stroke: colour.measured, values: slowest.map(of), width: 0},
            kind.fitted === null ? null : {label: "the new numbers", stroke: colour.fitted, dash: [8, 4], values: lengths.map((n) => ofLink(kind.fitted, n))},
            {label: "the file's numbers", stroke: colour.file, dash: [2, 4], values: lengths.map((n) => ofLink(kind.file, n))},
        ].filter((line) => line !== null);
        const finite = (value) => (Number.isFinite(value) && value > 0 ? value : null);
        return make("div", {class: "pictures"},
            picture("Bandwidth of one message", "bytes a second", rate, lengths, lines((s, i) => finite(lengths[i] / s), (link, n) => finite(n / timeOf(link, n)))),
            picture("Time of one message", "seconds", seconds, lengths, lines((s) => finite(s), (link, n) => finite(timeOf(link, n)))));
    }

    function tableOfRoundTrips(kind) {
        const points = roundTrips(kind);
        if (points.length === 0) return null;
        const rows = points.map(([bytes, values]) => {
            const best = Math.min(...values);
            return [right(length(bytes)), right(seconds(best)), right(seconds(Math.max(...values))), right(rate(bytes / best)),
                right(kind.fitted === null ? "–" : seconds(timeOf(kind.fitted, bytes))), right(seconds(timeOf(kind.file, bytes)))];
        });
        return make("details", {}, make("summary", {}, "The round trips as numbers"),
            table("Half a round trip of one pair", [right("length"), right("fastest block"), right("slowest block"), right("bandwidth"),
                right("by the new numbers"), right("by the file's")], rows));
    }

    function tableOfStreams(kind) {
        const rows = [];
        for (const series of kind.series) {
            if (series.pattern !== "streams" && series.pattern !== "both-ways") continue;
            for (const point of series.points) {
                const best = Math.max(...point.values);
                rows.push([series.pattern === "streams" ? "one" : "both", right(String(series.pairs.length)), series.pairs.join(" "),
                    right(length(point.length_bytes)), right(rate(best)), right(percent((best - Math.min(...point.values)) / best))]);
            }
        }
        if (rows.length === 0) return null;
        return make("details", {}, make("summary", {}, "The streams as numbers"),
            table("Messages one behind another, all pairs at once", ["directions", right("pairs"), "from and to", right("length"),
                right("all together"), right("spread")], rows));
    }

    function whereLinkIs(kind) {
        if (kind.link !== null) return `link '${kind.link}'`;
        return kind.level === null ? "a link that is written in place" : "a link that is written in place or built in";
    }

    function sectionOf(kind) {
        const section = make("section", {}, make("h2", {}, kind.name),
            make("p", {}, `${plural(kind.ports, "port")}, ${whereLinkIs(kind)}.`));
        if (kind.file.rate === "line" && kind.file.curve.length > 0) {
            section.append(make("p", {class: "faint"}, "The file's numbers are the rate of the line, headers included."));
        }
        if (kind.why_not !== "") section.append(make("p", {}, `Not measured: ${kind.why_not}.`));
        // The pictures measure themselves, so they are drawn in the document.
        document.getElementById("page").append(section);
        const pictures = picturesOf(kind);
        section.append(...[pictures, tableOfRoundTrips(kind), tableOfStreams(kind)].filter((one) => one !== null));
    }

    function showCalibration(page, calibration) {
        page.append(make("p", {}, `Measured ${calibration.date}${calibration.job === "" ? "" : `, job ${calibration.job}`}, between ` +
            `${plural(calibration.nodes.length, "node")}${calibration.library === "" ? "" : `, with ${calibration.library}`}. ` +
            "Measured rates are payload: bytes of messages, without headers."));
        if (!calibration.complete) page.append(make("p", {class: "outlier"}, "The measuring ended early: some numbers are missing."));
        const maximum = (value, reached) => withSpread(value, rate) + (value === null || reached ? "" : ", may be higher");
        page.append(table("Classes of ports", ["class", "link", right("ports"), "latency", "gap", "longest messages", "maximum out", "maximum in",
            right("both directions over one"), "duplex"], calibration.kinds.map((kind) => [
            kind.name, kind.link ?? (kind.level === null ? "in place" : "in place or built in"), right(String(kind.ports)), withSpread(kind.latency, seconds), withSpread(kind.gap, seconds),
            kind.fitted === null || kind.fitted.curve.length === 0 ? "–" : rate(kind.fitted.curve[kind.fitted.curve.length - 1][1]),
            maximum(kind.max_out, kind.max_out_reached), maximum(kind.max_in, kind.max_in_reached),
            right(kind.both_over_one === null ? "–" : kind.both_over_one.toFixed(2)), kind.fitted === null ? "–" : kind.fitted.duplex])));
        const withOverheads = calibration.kinds.filter((kind) => kind.send_overhead !== null && kind.receive_overhead !== null);
        if (withOverheads.length > 0) {
            page.append(table("Overheads of a short message", ["class", "in MPI_Send", "in MPI_Recv of a message that has come"],
                withOverheads.map((kind) => [kind.name, withSpread(kind.send_overhead, seconds), withSpread(kind.receive_overhead, seconds)])));
        }
        const measuredSwitches = calibration.switch_kinds.filter((kind) => kind.together !== null);
        if (measuredSwitches.length > 0) {
            page.append(table("Maxima of switches", ["switches", "measured at", right("pairs"), "one pair alone", "all together", "the limit is"],
                measuredSwitches.map((kind) => [kind.name, kind.measured_switch, right(String(kind.num_pairs)), withSpread(kind.alone, rate),
                    withSpread(kind.together, rate), kind.is_limit ? "the switch" : "not the switch"])));
        }
        calibration.kinds.forEach(sectionOf);
    }

    function bar(share) {
        const track = make("div", {class: "track", role: "img", "aria-label": percent(share)}, make("span", {}));
        track.firstChild.style.width = `${Math.min(100, Math.max(0, 100 * share))}%`;
        return track;
    }

    function showOutlier(page, outlier) {
        const show = (unit, value) => (unit === "s" ? seconds(value) : rate(value));
        page.append(make("div", {class: "outlier"}, make("p", {}, outlier.text),
            table(`${outlier.kind}: ${[...outlier.nodes, ...outlier.switches].join(" ")}`,
                ["direction", right("first"), right("second"), right("reference"), right("share of it"), ""],
                outlier.values.map((value) => [value.direction, right(show(value.unit, value.first)), right(show(value.unit, value.second)),
                    right(show(value.unit, value.reference)), right(percent(value.share)), bar(value.share)]))));
    }

    function showCheck(page, check) {
        page.append(make("h2", {}, "Outliers"));
        if (check === null) {
            page.append(make("p", {}, "Nobody looked for outliers: --check finds slow nodes and cables, and --checked puts its result here."));
            return;
        }
        page.append(make("p", {}, `${plural(check.nodes_checked, "node")} and ${plural(check.uplinks_checked, "uplink")} were checked in ` +
            `${check.seconds.toFixed(0)} s${check.complete ? "" : ", not all of it"}: ` +
            `${check.outliers.length === 0 ? "no outlier" : plural(check.outliers.length, "outlier")}.`));
        check.outliers.forEach((outlier) => showOutlier(page, outlier));
        if (check.not_tested.length > 0) {
            page.append(make("h3", {}, "Not tested"), make("ul", {}, ...check.not_tested.map((sentence) => make("li", {}, sentence))));
        }
    }

    const page = document.getElementById("page");
    const data = JSON.parse(document.getElementById("data").textContent);
    document.title = data.cluster === "" ? "Measured links" : `Measured links of ${data.cluster}`;
    page.append(make("h1", {}, document.title));
    if (data.calibration !== null) showCalibration(page, data.calibration);
    showCheck(page, data.check);
    page.append(make("p", {class: "faint"}, `Written by commmap ${data.version}.`));
    document.body.dataset.shown = "yes";
})();
