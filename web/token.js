"use strict";
// The service's token, where reading needs it: asked for in a dialog, sent in a header, and kept for this tab only. It is
// never a part of an address.

const token = { value: "", given: null, take: null };

function keepToken(value) {
  token.value = value;
  setText("token-button", value ? "Forget the token" : "Give the token");
  byId("token-button").hidden = false;
  try {
    if (value) sessionStorage.setItem("token", value);
    else sessionStorage.removeItem("token");
  } catch { /* it is kept until the page is loaded again */ }
}

function openTokenDialog(wrong) {
  setText("live", "needs the service's token");
  setText("token-wrong", wrong ? "That is not the token of this service." : "");
  byId("token").value = "";
  byId("token").setAttribute("aria-invalid", wrong);
  if (!byId("token-dialog").open) byId("token-dialog").showModal();
}

// Fulfilled once somebody has given one, which may be never.
function tokenGiven(wrong) {
  token.given ||= new Promise((done) => {
    token.take = done;
    openTokenDialog(wrong);
  });
  return token.given;
}

function takeToken() {
  const value = byId("token").value.trim();
  if (!/^[\x21-\x7e]+$/.test(value)) return openTokenDialog(true);  // a header cannot hold it
  keepToken(value);
  token.given = null;
  token.take();
}

// The answer to a GET, with the token where one is needed.
async function request(path) {
  for (;;) {
    const used = token.value;
    const answer = await fetch(path, used ? { headers: { Authorization: "Bearer " + used } } : {});
    if (answer.status !== 401) return answer;
    if (token.value !== used) continue;  // another one was given meanwhile
    keepToken("");
    await tokenGiven(Boolean(used));
  }
}

// What a link to it would do; a link sends no token.
async function download(path, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await request(path)).blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function followTokenControls() {
  try {
    const kept = sessionStorage.getItem("token");
    if (kept) keepToken(kept);
  } catch { /* nothing was kept */ }
  byId("token-words-open").hidden = isSecureContext;
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    byId("token-dialog").close();
    takeToken();
  });
  byId("token-button").addEventListener("click", () => {
    if (!token.value) return openTokenDialog(false);
    keepToken("");
    location.reload();  // nothing of what was read stays on the page
  });
  byId("save").addEventListener("click", (event) => {
    if (!token.value) return;
    event.preventDefault();
    download(byId("save").getAttribute("href"), byId("save").download);
  });
}
