#!/usr/bin/env python3
"""The page of the queue service as a person sees it, in headless Chromium.

Usage: page_test.py EBB DIRECTORY. Screenshots are left in DIRECTORY. Exit code 77: no browser here.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import webdriver

EBB, KEEP = sys.argv[1], sys.argv[2]

def rows():
    return "[...document.querySelectorAll('#jobs tr')].map(row => row.innerText)"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.environment = dict(os.environ, EBB_STORE=os.path.join(cls.directory.name, "ebb.db"))
        cls.service = subprocess.Popen([EBB, "serve", "--constant", "123", "--slots", "2", "--port", "0"],
                                       env=cls.environment, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.stop)
        cls.url = cls.service.stderr.readline().split("serve: ")[1].split(",")[0]
        cls.ebb("submit", "--name", "long-one", "--", "sh", "-c", "echo I run; sleep 600")
        cls.ebb("submit", "--name", "<img src=x onerror=alert(1)>bad <b>one</b>", "--", "sh", "-c", "exit 3")
        cls.ebb("submit", "--name", "after-it", "--after", "1", "--", "true")
        cls.browser = webdriver.Browser(1280, 1400, KEEP)
        cls.browser.devtools("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
        cls.browser.call("POST", "/url", {"url": cls.url + "/"})

    @classmethod
    def stop(cls):
        if hasattr(cls, "browser"):
            cls.browser.close()
        cls.ebb("cancel", "1")
        time.sleep(0.5)
        cls.service.terminate()
        cls.service.wait()
        cls.service.stderr.close()
        cls.directory.cleanup()

    @classmethod
    def ebb(cls, *words):
        return subprocess.run([EBB, *words], env=cls.environment, check=True, capture_output=True, text=True).stdout

    def test_1_tells_what_runs_and_what_waits(self):
        browser = self.browser
        browser.wait("document.querySelector('#jobs') && document.querySelector('#jobs').innerText.includes('long-one')")
        self.assertIn("123 g/kWh", browser.run("return document.getElementById('now').innerText"))
        listed = browser.run("return " + rows())
        self.assertEqual(len(listed), 2, listed)
        self.assertIn("running", listed[0])
        self.assertIn("after job 1", listed[1])

    def test_2_text_of_others_is_never_markup(self):
        browser = self.browser
        browser.run("document.getElementById('stage').value = 'failed';"
                    "document.getElementById('stage').dispatchEvent(new Event('change'))")
        listed = browser.wait("(() => { const r = " + rows() + "; return r.length === 1 && r })()")
        self.assertIn("bad <b>one</b>", listed[0])
        self.assertIn("exit code 3", listed[0])
        self.assertEqual(browser.run("return document.querySelectorAll('#jobs b, #jobs img').length"), 0)
        browser.run("document.querySelector('#jobs a').click()")
        browser.wait("document.getElementById('job-title').textContent.includes('<img')")
        self.assertEqual(browser.run("return document.querySelectorAll('dialog b, dialog img, main img').length"), 0)
        browser.run("document.getElementById('job').close()")

    def test_2b_what_failed_since_somebody_looked_is_at_a_glance(self):
        browser, figure = self.browser, "document.getElementById('failed').textContent"
        browser.wait(figure + " === '1'")
        browser.run("document.getElementById('failed-show').click()")
        listed = browser.wait("(() => { const r = " + rows() + "; return r.length === 1 && r })()")
        self.assertIn("exit code 3", listed[0])
        self.assertEqual(browser.run("return document.getElementById('stage').value"), "failed-since")
        browser.run("document.getElementById('stage').value = 'live';"
                    "document.getElementById('stage').dispatchEvent(new Event('change'))")
        browser.wait(figure + " === '0'")
        self.assertTrue(browser.run("return document.getElementById('failed-show').hidden"))
        browser.call("POST", "/refresh", {})
        browser.wait("document.getElementById('failed-note').textContent.startsWith('since')")
        self.assertEqual(browser.run("return " + figure), "0", "it is remembered")

    def test_2c_a_drain_says_what_runs_and_why(self):
        browser = self.browser
        self.ebb("drain", "--why", "new <b>disks</b>")
        browser.wait("document.getElementById('drain').textContent.includes('new <b>disks</b>')")
        said = browser.run("return document.getElementById('drain').innerText")
        self.assertIn("1 job runs to its end", said)
        self.ebb("drain", "--end")
        browser.wait("document.getElementById('drain').hidden")

    def test_3_a_job_opens_with_its_log(self):
        browser = self.browser
        browser.run("document.getElementById('stage').value = 'live';"
                    "document.getElementById('stage').dispatchEvent(new Event('change'));"
                    "document.querySelector('#jobs a').click()")
        browser.wait("document.getElementById('job').open")
        browser.wait("document.getElementById('job-log').innerText.includes('I run')")
        self.assertIn("long-one", browser.run("return document.getElementById('job-title').innerText"))
        browser.screenshot("page-job")
        self.assertEqual(browser.run("return location.hash"), "#job=1")
        self.assertEqual(browser.run(webdriver.NAMELESS), [])
        browser.run("document.getElementById('job').close()")
        browser.wait("location.hash === '' && document.activeElement.textContent === '1'")

    def test_3b_a_job_shows_its_loss_power_and_intensity(self):
        tell = r"""echo "{\"time_ms\":$(date +%s%3N),\"event\":\"step\",\"step\":$i,\"loss\":0.$i}" >> $EBB_RUN_DIR/progress.jsonl"""
        job = self.ebb("submit", "--name", "learner", "--", "sh", "-c", f"for i in 9 8 7; do {tell}; sleep 0.4; done").strip()
        browser = self.browser
        browser.wait(f"state.jobs.get({job})?.stage === 'succeeded'")
        browser.run(f"location.hash = 'job={job}'")
        browser.wait("!document.getElementById('job-charts').hidden")
        words = lambda canvas: browser.run(f"return document.getElementById('{canvas}').getAttribute('aria-label')")
        self.assertEqual(words("job-loss"), "Loss over time; the last one: 0.7000")
        self.assertIn("watts", words("job-power"))
        self.assertEqual(words("job-intensity"), "Carbon intensity from submission on, from 123.0 to 123.0 grams per kilowatt-hour")
        browser.run("document.getElementById('job-details').open = true")
        browser.wait("document.querySelectorAll('#job-table tbody tr').length > 4")
        browser.run("document.getElementById('job').close()")
        browser.run("document.getElementById('job-details').open = false")

    def test_4_what_happens_shows_within_two_seconds(self):
        newcomer = self.ebb("submit", "--name", "newcomer", "--", "sleep", "30").strip()
        begin = time.monotonic()
        self.browser.wait("document.getElementById('jobs').innerText.includes('newcomer')")
        print(f"an event is on the page after {time.monotonic() - begin:.1f} s", file=sys.stderr)
        self.ebb("cancel", newcomer)

    def test_5_worse_is_called_worse(self):
        browser = self.browser
        browser.wait("state.status.saved_on_first_come.jobs > 0")
        # Given, shown and read in one piece: the service's own numbers come every second.
        shown = lambda **saved: browser.run(
            f"state.status.saved_on_first_come = {json.dumps(dict(dict(jobs=3, first_come_g=100, half_width_g=5, without_interval=0), **saved))}; showSaved();"
            "return [...['saved-title', 'saved', 'saved-note'].map((id) => document.getElementById(id).textContent), document.getElementById('saved').className]")
        self.assertEqual(shown(saved_g=20, not_compared=2),
                         ["Saved", "20.0 g", "20.0 % less (± 5.00 g) than first come, first served; 3 ended jobs; 2 not compared", "figure better"])
        self.assertEqual(shown(saved_g=-20, not_compared=2),
                         ["Worse", "20.0 g", "20.0 % more (± 5.00 g) than first come, first served; 3 ended jobs; 2 not compared", "figure worse"])
        # A difference that may be zero is no clear difference.
        self.assertEqual(shown(saved_g=4, not_compared=0),
                         ["Saved", "–", "no clear difference: 4.00 g less (± 5.00 g) than first come, first served; 3 ended jobs", "figure "])
        self.assertEqual(shown(saved_g=8, not_compared=0, without_interval=2),
                         ["Saved", "8.00 g", "8.0 % less (± 5.00 g and that of 2 jobs) than first come, first served; 3 ended jobs", "figure better"])
        # A difference that comes only from rounding is none.
        self.assertEqual(shown(saved_g=-0.01, not_compared=0), ["Saved", "0 g", "as much as first come, first served; 3 ended jobs", "figure "])

    def test_5_charts_are_drawn(self):
        for canvas in ("intensity", "gantt"):
            inked = self.browser.run(
                f"const c = document.getElementById('{canvas}');"
                "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n")
            self.assertGreater(inked, 500, canvas)

    def test_6_a_forecast_record_without_a_measured_value_says_so(self):
        self.browser.wait("document.getElementById('record-text').textContent.startsWith('Nothing to compare: what is known of this signal is modelled,')")
        self.assertEqual(self.browser.run("const site = state.site; const said = ['measured', 'forecast'].map((status) => {"
                                          "state.site = {known: [[0, 1, 2, status]]}; return whyNoRecord().slice(0, 58); }); state.site = site; return said"),
                         ["Nothing to compare yet: no forecast that this service was ", "Nothing to compare: what is known of this signal is a fore"])
        shown = self.browser.run(
            "record.answer = {forecasts: 2, since: '2023-05-01T00:00:00Z', method: 'm', horizons: [{from_h: 1, until_h: 3, rows: 4,"
            "mean_absolute_error_g_per_kwh: 12.34, bias_g_per_kwh: -5, mean_relative_error: .1}]}; showRecord();"
            "return [...document.querySelectorAll('#record-table td')].map((cell) => cell.textContent)")
        self.assertEqual(shown, ["1 to 3 h", "12.3 g/kWh", "10 %", "-5.0 g/kWh", "–", "4"])

    def test_5_figures_have_three_digits_in_the_unit_that_fits(self):
        self.assertEqual(self.browser.run("return [grams(4.95e-7), grams(0), grams(999.6), energy(1.4e-7), energy(1.2), watts(1200)]"),
                         ["495 ng", "0 g", "1.00 kg", "504 mJ", "1.20 kWh", "1.20 kW"])

    def test_6_sites_are_shown_where_there_are_several(self):
        self.assertEqual(self.browser.run("return document.getElementById('sites').hidden"), True)
        shown = self.browser.run(
            "const status = state.status; state.status = {...status, sites: [{site: 'norway', zone: 'NO-NO1', g_per_kwh: 21,"
            "next_24_hours_g_per_kwh: 22.4, devices: 2, free: 1, away: 1, jobs: [{id: 7, name: 'train'}]},"
            "{site: 'here', zone: 'DE', lost: 'no answer', devices: 1, free: 1, away: 0, jobs: []}]}; showSites();"
            "const cells = [...document.querySelectorAll('#sites-table td')].map((cell) => cell.textContent);"
            "const hidden = document.getElementById('sites').hidden; state.status = status; showSites(); return [hidden, ...cells]")
        self.assertEqual(shown, [False, "norway", "NO-NO1", "21 g/kWh", "22 g/kWh", "", "1 of 2, 1 away", "7 train",
                                 "here", "DE", "unknown (source lost)", "unknown", "", "1 of 1", ""])

    def test_6_thresholds_of_the_tiers_are_drawn(self):
        self.assertEqual(self.browser.run("return thresholdLabels(state.tiers, (value) => 300 - value).map((l) => l.text)"),
                         ["tier 1 ≤ 225", "tier 2 ≤ 175", "tier 3 ≤ 125"])
        self.assertEqual(self.browser.run("return thresholdLabels(state.tiers, (value) => 30 - value / 10).map((l) => l.text)"),
                         ["tiers 1 ≤ 225, 2 ≤ 175, 3 ≤ 125"])

    def test_7_all_times_are_in_one_zone_and_it_says_which(self):
        browser = self.browser
        written = "waiting: 2 g/kWh now, 1 g/kWh expected 2023-05-01 11:00-13:00; must start by 2023-05-01 22:10"
        self.assertEqual(browser.run("return [...document.getElementById('zone').options].map((o) => o.text)"), ["Asia/Calcutta", "UTC"])
        shown = lambda text: browser.run(f"return inZone('{text}').replace(/(Mon|Tue|Wed),/g, '$1')")
        self.assertEqual(shown(written), "waiting: 2 g/kWh now, 1 g/kWh expected "
                         "Mon 1 May, 16:30–18:30; must start by Tue 2 May, 03:40")
        self.assertEqual(shown("2023-05-01 17:00-2023-05-02 19:00"), "Mon 1 May, 22:30–Wed 3 May, 00:30")
        # Ticks lie on the zone's own midnight.
        self.assertEqual(browser.run("return timeTicks([Date.UTC(2023, 4, 1), Date.UTC(2023, 4, 3)], 300)"
                                     ".map((tick) => timeText('clock', tick.value))"), ["00:00", "00:00"])
        browser.run("const z = document.getElementById('zone'); z.value = 'UTC'; z.dispatchEvent(new Event('change'))")
        self.assertEqual(shown("2023-05-01 11:00-13:00"), "Mon 1 May, 11:00–13:00")

    def test_8_charts_are_tables_too_and_everything_has_a_name(self):
        browser = self.browser
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        browser.wait("document.querySelectorAll('#gantt-table tbody tr').length > 0")
        table = browser.run("return document.getElementById('gantt-table').innerText")
        self.assertIn("long-one", table)
        self.assertIn("running", table)
        browser.wait("document.querySelectorAll('#intensity-table tbody tr').length > 0")
        self.assertIn("123 g/kWh now", browser.run("return document.getElementById('intensity').getAttribute('aria-label')"))
        self.assertEqual(browser.run(webdriver.NAMELESS), [])
        self.assertTrue(browser.run("return document.querySelectorAll('#queue-table [role=row]').length === document.querySelectorAll('#queue-table tr').length"))
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = false; })")

    def test_8_what_ran_lies_on_the_device_that_it_had(self):
        browser = self.browser
        slots = browser.wait("state.status.running.find((program) => program.job === 1)?.slots")
        self.assertEqual(browser.wait("state.jobs.get(1)?.ran_on"), [slots])
        self.assertEqual(browser.run("const limits = shownRange(); return placeBars(barsOf(limits), limits).placed.filter((bar) => bar.job.id === 1 && "
                                     "bar.kind === 'running').map((bar) => bar.row)"), [f"cpu {slots[0] + 1}"])
        # Two jobs side by side, the first one to begin on the second device.
        rows = browser.run("const now = state.status.time, job = (id) => ({id, devices: 1, pool: 0}), bar = (id, begin, on) => "
                           "({job: job(id), begin, end: now, kind: 'done', on}); return placeBars([bar(1, now - 9e5, [1]), bar(2, now - 8e5, [0]), "
                           "bar(3, now - 7e5, [])], [now - 36e5, now + 36e5]).placed.map((bar) => bar.job.id + ' ' + bar.row)")
        self.assertEqual(rows, ["1 cpu 2", "2 cpu 1"])

    def test_9_the_keyboard_is_enough(self):
        browser = self.browser
        browser.run("document.querySelector('.skip').focus()")
        found = []
        for _ in range(30):
            browser.key("\ue004")
            found.append(browser.run("const e = document.activeElement; return e.id || e.getAttribute('href') || e.className"))
            if found[-1].startswith("#job="):
                break
        self.assertIn("zone", found)
        self.assertIn("stage", found)
        self.assertEqual(browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "solid")
        browser.key("\ue007")
        browser.wait("document.getElementById('job').open")
        browser.key("\ue00c")
        browser.wait("!document.getElementById('job').open")

    def test_a_can_be_read_in_light_and_dark(self):
        browser = self.browser
        for theme in ("light", "dark"):
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            browser.run("location.hash = ''")
            self.assertEqual(browser.run(webdriver.LOW_CONTRAST), [], theme)
            browser.run("location.hash = 'job=1'")
            browser.wait("document.getElementById('job-log').innerText.includes('I run')")
            self.assertEqual(browser.run(webdriver.LOW_CONTRAST), [], theme)
            browser.run("document.getElementById('job').close()")
            browser.wait("new Promise((done) => setTimeout(() => done(1), 200))")
            browser.screenshot("page-" + theme)

    def test_b_fits_a_phone_and_has_no_errors(self):
        browser = self.browser
        browser.resize(360, 800, mobile=True)
        for address in ("", "job=1"):
            browser.run(f"location.hash = '{address}'")
            self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), 360)
            # Nothing is cut off at the side, but for what scrolls by itself.
            browser.wait("[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && "
                         "!e.closest('details, pre, .skip, #queue thead, #record-table') && e.getBoundingClientRect().right > 361).length === 0")
            browser.screenshot("page-phone" + ("-job" if address else ""))
        self.assertEqual([m for m in browser.errors() if "/log" not in m], [])

    def test_b_on_another_address_the_page_asks_for_the_token(self):
        browser = self.browser
        place = os.path.join(self.directory.name, "open")  # a directory of jobs belongs to one store
        os.mkdir(place)
        environment = dict(os.environ, EBB_STORE=os.path.join(place, "ebb.db"))
        service = subprocess.Popen([EBB, "serve", "--constant", "77", "--slots", "1", "--port", "0", "--address", "0.0.0.0"],
                                   env=environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(service.stderr.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        url = "http://127.0.0.1:" + service.stderr.readline().split("serve: ")[1].split(",")[0].rsplit(":", 1)[1] + "/"
        with open(environment["EBB_STORE"] + ".token") as file:
            token = file.read().strip()
        self.addCleanup(browser.call, "POST", "/url", {"url": self.url + "/"})
        browser.resize(1280, 1400)
        browser.call("POST", "/url", {"url": url})
        give = lambda text: browser.write(text + "\ue007")  # and Enter: the field has the focus
        browser.wait("document.activeElement.id === 'token'")
        self.assertEqual(browser.run("return document.getElementById('now').textContent"), "–")
        self.assertEqual(browser.run(webdriver.NAMELESS), [])
        self.assertEqual(browser.run(webdriver.LOW_CONTRAST), [])
        browser.screenshot("page-token")
        for wrong in ("f" * 64, "nicht schön", token[:-1]):
            give(wrong)
            browser.wait("document.getElementById('token-wrong').textContent === 'That is not the token of this service.'"
                         "&& document.getElementById('token-dialog').open && !token.value")
            browser.wait("document.activeElement.id === 'token' && !document.activeElement.value")
        # Escape closes it, and the button at the top opens it again.
        browser.key("\ue00c")
        browser.wait("!document.getElementById('token-dialog').open")
        self.assertEqual(browser.run("return document.getElementById('live').textContent"), "needs the service's token")
        browser.run("document.getElementById('token-button').click()")
        browser.wait("document.activeElement.id === 'token'")
        give(token)
        browser.wait("document.getElementById('now').textContent === '77 g/kWh'")
        self.assertFalse(browser.run("return document.getElementById('token-dialog').open"))
        # The token is kept for this tab, and nowhere else.
        self.assertEqual(browser.run("return [sessionStorage.getItem('token'), document.cookie, "
                                     "JSON.stringify(localStorage).includes(sessionStorage.getItem('token')), document.documentElement.outerHTML.includes("
                                     "sessionStorage.getItem('token'))]"), [token, "", False, False])
        self.assertEqual([url for url in browser.run("return [location.href, ...performance.getEntriesByType('resource').map((e) => e.name)]")
                          if token in url], [])
        browser.run("location.reload()")
        browser.wait("document.getElementById('now')?.textContent === '77 g/kWh'")
        self.assertEqual(browser.run("return document.getElementById('token-button').textContent"), "Forget the token")
        # A page saved from here has what a link would not get.
        browser.run("window.links = []; HTMLAnchorElement.prototype.click = function () { links.push([this.download, this.href]); };"
                    "URL.revokeObjectURL = () => {}; document.getElementById('save').dispatchEvent(new MouseEvent('click', {cancelable: true}))")
        browser.wait("links.length === 1")
        self.assertEqual(browser.run("return links[0][0] + ' ' + links[0][1].slice(0, 5)"), "ebb.html blob:")
        browser.run("document.getElementById('token-button').click()")
        browser.wait("document.activeElement.id === 'token'")
        self.assertEqual(browser.run("return [sessionStorage.getItem('token'), document.getElementById('now').textContent]"), [None, "–"])
        browser.errors()  # 401 is one

    def test_c_a_saved_page_needs_nobody(self):
        browser, file = self.browser, os.path.join(self.directory.name, "saved.html")
        self.ebb("queue", "--save-page", file)
        browser.resize(1280, 1400)
        browser.devtools("Network.enable")
        browser.devtools("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        browser.call("POST", "/url", {"url": "file://" + file})
        browser.wait("document.getElementById('jobs').innerText.includes('long-one')")
        self.assertEqual(browser.run("return document.getElementById('live').textContent"), "saved as it was on")
        self.assertEqual(browser.run("return document.getElementById('now').textContent"), "123 g/kWh")
        self.assertTrue(browser.run("return document.getElementById('save').hidden"))
        browser.run("document.getElementById('stage').value = 'succeeded';"
                    "document.getElementById('stage').dispatchEvent(new Event('change')); document.querySelector('#jobs a').click()")
        browser.wait("!document.getElementById('job-charts').hidden")
        self.assertEqual(browser.run("return document.getElementById('job-loss').getAttribute('aria-label')"),
                         "Loss over time; the last one: 0.7000")
        browser.screenshot("page-saved")
        self.assertEqual(browser.run("return document.querySelectorAll('main img, dialog img').length"), 0)
        # Whatever else finds its way into the file, it does not run.
        self.assertIsNone(browser.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
                                      "document.body.append(s); return window.ran ?? null"))
        self.assertEqual([m for m in browser.errors() if "Content Security Policy" not in m], [])
        with open(file) as text:
            self.assertLess(len(text.read()), 2_000_000)


if __name__ == "__main__":
    if webdriver.missing():
        print(f"SKIPPED: {webdriver.missing()} is not installed", file=sys.stderr)
        sys.exit(77)
    os.makedirs(KEEP, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
