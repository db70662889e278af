// chartjs-node-canvas asks for "canvas", which is compiled on installation; this one comes ready for every platform.
module.exports = require("@napi-rs/canvas");
